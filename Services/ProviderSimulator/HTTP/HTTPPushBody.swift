import JSONKit

/// The body of an HTTP push: a JSON object with pushd's members, each of the right type if it is there.
struct HTTPPushBody: Sendable, Equatable {
    let task: String?

    /// Nil for another body.
    init?(_ body: [UInt8]) {
        guard let document = try? JSON(body), let object = document.object,
            object["event"].map({ $0 == .null || $0.text != nil }) != false,
            HTTPPushBody.isTexts(object["title"]), HTTPPushBody.isTexts(object["message"]),
            HTTPPushBody.isObject(object["data"])
        else { return nil }
        task = TaskInPayload.id(in: document)
    }

    /// A text for each language.
    private static func isTexts(_ value: JSON?) -> Bool {
        guard let value else { return true }
        return value.object?.members.allSatisfy { $0.value.text != nil } == true
    }

    private static func isObject(_ value: JSON?) -> Bool {
        guard let value else { return true }
        return value.object != nil
    }
}
