package import PushModel
package import ServiceKit
package import Signing

/// The right to listen to some topics of an app for some time, for a program that has no key, such as a web page. It
/// ends with the key that made it.
package struct StreamTicket: Sendable, Equatable {
    package static let lives: ClosedRange<Duration> = .seconds(60) ... .seconds(86_400)
    package static let topicsMaximum = 32
    /// A URL with it fits into every server's limit.
    package static let textBytesMaximum = 4_096
    private static let version = "1"
    /// Topics have no control characters.
    private static let separator = UInt8(ascii: "\n")

    package let app: AppID
    package let keyID: String
    package let topics: [TopicName]
    package let expires: Timestamp

    package init(app: AppID, keyID: String, topics: [TopicName], expires: Timestamp) {
        self.app = app
        self.keyID = keyID
        self.topics = topics
        self.expires = expires
    }

    /// The ticket as its holder presents it: its content and the code of the app's key.
    package func text(signedBy key: StreamTicketKey) -> String {
        let content = content
        return Base64URL.encode(content + key.code(for: content))
    }

    private var content: [UInt8] {
        let fields = [StreamTicket.version, app.text, keyID, "\(expires.milliseconds)"] + topics.map(\.text)
        return Array(fields.map { Array($0.utf8) }.joined(separator: [StreamTicket.separator]))
    }
}

/// A ticket as it was presented. Its content is not to be trusted until its code is checked.
struct PresentedTicket {
    let ticket: StreamTicket
    private let content: [UInt8]
    private let code: [UInt8]

    /// Nil for any other text.
    init?(_ text: String) {
        guard text.utf8.count <= StreamTicket.textBytesMaximum, let bytes = Base64URL.decode(text),
            bytes.count > StreamTicketKey.codeBytes
        else { return nil }
        content = Array(bytes.dropLast(StreamTicketKey.codeBytes))
        code = Array(bytes.suffix(StreamTicketKey.codeBytes))
        guard let ticket = StreamTicket(content: content) else { return nil }
        self.ticket = ticket
    }

    func isSigned(by key: StreamTicketKey) -> Bool {
        key.isCode(code, for: content)
    }
}

extension StreamTicket {
    fileprivate init?(content: [UInt8]) {
        let fields = content.split(separator: StreamTicket.separator, omittingEmptySubsequences: false)
            .map { OutsideText.string($0) }
        guard fields.count > 4, fields.count <= 4 + StreamTicket.topicsMaximum, fields[0] == StreamTicket.version,
            let app = fields[1].flatMap({ try? AppID($0) }), let keyID = fields[2],
            let expires = fields[3].flatMap({ Int64($0) })
        else { return nil }
        let topics = fields[4...].compactMap { name in name.flatMap { try? TopicName($0) } }
        guard topics.count == fields.count - 4 else { return nil }
        self.init(app: app, keyID: keyID, topics: topics, expires: Timestamp(milliseconds: expires))
    }
}
