import JSONKit
import PushModel
import TaskModel

/// The message of a platform, with the field of the request that it was read from.
struct PlatformMessage: Sendable {
    let content: PushMessage
    /// `message`, or `messages.ios` for a message of the platform's own.
    let path: String
    /// Languages with at least one translation.
    let languages: Set<String>
    /// Its data, flattened once for all languages.
    let data: Result<FlatData, RenderingError>

    /// `task` is the task's id.
    init(_ content: PushMessage, path: String, task: String) {
        self.content = content
        self.path = path
        languages = content.languages
        data = Result { () throws(RenderingError) in try FlatData(content, path: path, task: task) }
    }

    /// By platform, each message prepared once.
    static func messages(of content: TaskContent, task: String) -> [Platform: PlatformMessage] {
        let shared = content.message.map { PlatformMessage($0, path: "message", task: task) }
        var messages: [Platform: PlatformMessage] = [:]
        for platform in Platform.allCases {
            if let own = content.messages[platform] {
                messages[platform] = PlatformMessage(own, path: "messages.\(platform.rawValue)", task: task)
            } else if content.platforms.contains(platform) {
                messages[platform] = shared
            }
        }
        return messages
    }
}

extension FlatData {
    /// The message's data with its address and the task's id.
    fileprivate init(_ message: PushMessage, path: String, task: String) throws(RenderingError) {
        let data = message.data
        try ProviderBounds.check(data, path: "\(path).data")
        let limit = ProviderBounds.payloadBytesMaximum
        let bytes = JSON.object(data).compactBytes.count
        guard bytes <= limit else {
            throw RenderingError(
                "\(path).data", message: "too long: \(bytes) bytes; at most \(limit) for the whole payload")
        }
        try self.init(data, path: "\(path).data")
        if let url = message.url {
            guard self[MessageData.addressName] == nil else {
                throw RenderingError(
                    "\(path).data.url", message: "name used for \(path).url; choose another or remove one of them")
            }
            self[MessageData.addressName] = url
        }
        if self[ReceiptField.task] == nil { self[ReceiptField.task] = task }
    }
}
