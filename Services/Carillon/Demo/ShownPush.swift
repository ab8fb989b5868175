import JSONKit

/// A request accepted by the simulator, in readable form: a request to Huawei, which has many tokens, is shown with the
/// first token and the number of the others. A request with another body than JSON is shown as it is.
struct ShownPush {
    let text: String

    init(_ request: JSON) {
        guard var root = request.object, var message = root["message"]?.object, let tokens = message["token"]?.elements,
            let first = tokens.first, tokens.count > 1
        else {
            text = request.text ?? request.compactText
            return
        }
        message["token"] = .array([first, .string("and \(tokens.count - 1) more")])
        root["message"] = .object(message)
        text = JSON.object(root).compactText
    }
}
