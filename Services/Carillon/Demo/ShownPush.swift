import JSONKit

/// A request as the simulator took it, for people to read: of Huawei's, which are for many devices at once, the first of
/// their tokens and how many more there are.
struct ShownPush {
    let text: String

    init(_ request: JSON) {
        guard var root = request.object, var message = root["message"]?.object, let tokens = message["token"]?.elements,
            let first = tokens.first, tokens.count > 1
        else {
            text = request.compactText
            return
        }
        message["token"] = .array([first, .string("and \(tokens.count - 1) more")])
        root["message"] = .object(message)
        text = JSON.object(root).compactText
    }
}
