package import ServiceKit
package import Topics

/// A dead-lettered message. It travels on `dead` with its value and headers unchanged and the failure described in
/// additional headers, so that any client can inspect it and it can be replayed as it was.
package struct DeadLetter: Sendable {
    package enum Reason: String, CaseIterable, Sendable {
        /// The bytes cannot be decoded as a message of the topic.
        case undecodable
        /// The handler reported that no retry can help.
        case poison
        /// The handler failed the maximum number of times.
        case exhausted
        /// Several processes in a row crashed while they handled the message.
        case crashed
    }

    package let channel: String
    package let partition: Int32
    package let offset: Int64
    package let group: String
    package let reason: Reason
    package let detail: String
    package let attempts: Int
    package let firstSeen: Timestamp
    package let key: [UInt8]?
    package let value: [UInt8]
    package let headers: [MessageHeader]
    /// False if the message was too large for the bus, and its value was dropped.
    package let isWhole: Bool

    package init(
        _ message: IncomingMessage, group: String, reason: Reason, detail: String, attempts: Int
    ) {
        channel = message.partition.channel
        partition = message.partition.number
        offset = message.offset
        self.group = group
        self.reason = reason
        self.detail = DeadLetter.shortened(Redaction.redact(detail))
        self.attempts = attempts
        firstSeen = message.timestamp
        key = message.key
        value = message.value
        headers = message.headers.filter { !$0.name.hasPrefix(DeadLetter.prefix) }
        isWhole = true
    }

    private init(withoutValueOf letter: DeadLetter) {
        channel = letter.channel
        partition = letter.partition
        offset = letter.offset
        group = letter.group
        reason = letter.reason
        detail = DeadLetter.shortened(
            "too large to be kept whole, with \(letter.value.count) bytes of value, \(letter.key?.count ?? 0) of key and "
                + "\(letter.headers.bytes) of headers; \(letter.detail)")
        attempts = letter.attempts
        firstSeen = letter.firstSeen
        // A program that writes to a topic directly may send larger keys and headers than this bus carries.
        key = letter.key.flatMap { $0.count <= Topics.keyBytesMaximum ? $0 : nil }
        value = []
        headers = letter.headers.bytes <= Topics.headersBytesMaximum ? letter.headers : []
        isWhole = false
    }

    /// The part to dead-letter if the bus cannot carry the whole message.
    package var withoutValue: DeadLetter { DeadLetter(withoutValueOf: self) }

    private static let prefix = "carillon-dead-"
    private static let detailBytesMaximum = 2_000
    /// Maximum size of the dead-letter headers: detail, topic and group names and all numbers.
    package static let storyBytesMaximum = 4 * 1024

    /// Cuts by bytes, since a character may have any number of bytes.
    private static func shortened(_ detail: String) -> String {
        var end =
            detail.utf8.index(
                detail.startIndex, offsetBy: detailBytesMaximum, limitedBy: detail.endIndex) ?? detail.endIndex
        while end.samePosition(in: detail.unicodeScalars) == nil { end = detail.utf8.index(before: end) }
        return String(detail[..<end])
    }

    /// The message to send to the `dead` topic.
    package var outgoing: OutgoingMessage {
        let story = [
            ("channel", channel), ("partition", "\(partition)"), ("offset", "\(offset)"), ("group", group),
            ("reason", reason.rawValue), ("detail", detail), ("attempts", "\(attempts)"),
            ("first-seen", "\(firstSeen.milliseconds)"), ("whole", "\(isWhole)"),
        ]
        return OutgoingMessage(
            channel: Topics.dead.channel, key: key, value: value,
            headers: headers + story.map { MessageHeader(DeadLetter.prefix + $0.0, $0.1) })
    }

    /// Decodes a message of the `dead` topic; nil if it lacks the dead-letter headers.
    package init?(fromDead message: IncomingMessage) {
        func story(_ name: String) -> String? { message.headers[DeadLetter.prefix + name] }
        guard let channel = story("channel"), let partition = story("partition").flatMap({ Int32($0) }),
            let offset = story("offset").flatMap({ Int64($0) }), let group = story("group"),
            let reason = story("reason").flatMap({ Reason(rawValue: $0) }), let detail = story("detail"),
            let attempts = story("attempts").flatMap({ Int($0) }),
            let firstSeen = story("first-seen").flatMap({ Int64($0) })
        else { return nil }
        self.channel = channel
        self.partition = partition
        self.offset = offset
        self.group = group
        self.reason = reason
        self.detail = detail
        self.attempts = attempts
        self.firstSeen = Timestamp(milliseconds: firstSeen)
        key = message.key
        value = message.value
        headers = message.headers.filter { !$0.name.hasPrefix(DeadLetter.prefix) }
        isWhole = story("whole") != "false"
    }

    /// The original message, addressed to its original topic; nil if that topic no longer exists or the message was not
    /// kept whole.
    package func replay(into channel: Channel?) -> OutgoingMessage? {
        guard isWhole else { return nil }
        return channel.map { OutgoingMessage(channel: $0, key: key, value: value, headers: headers) }
    }
}
