package import ServiceKit
package import Topics

/// A message that was given up. It travels on `dead` as it was, value and headers, with its story in headers of its own,
/// so that it can be looked at with any client and sent again as it was.
package struct DeadLetter: Sendable {
    package enum Reason: String, CaseIterable, Sendable {
        /// The bytes are no message of the topic.
        case undecodable
        /// The handler said that no retry can help.
        case poison
        /// The handler failed on it as often as it may.
        case exhausted
        /// Process after process ended while it handled it.
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
    /// False when it was too large for the bus, and the value is not kept.
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
        // Whoever writes to a topic past this bus may send larger keys and headers than it carries.
        key = letter.key.flatMap { $0.count <= Topics.keyBytesMaximum ? $0 : nil }
        value = []
        headers = letter.headers.bytes <= Topics.headersBytesMaximum ? letter.headers : []
        isWhole = false
    }

    /// What is left to bury when the bus does not carry the whole.
    package var withoutValue: DeadLetter { DeadLetter(withoutValueOf: self) }

    private static let prefix = "carillon-dead-"
    private static let detailBytesMaximum = 2_000
    /// What the story takes in the headers, its detail with the names of topic and group and all numbers.
    package static let storyBytesMaximum = 4 * 1024

    /// Cut by bytes, since a character may have any number of them.
    private static func shortened(_ detail: String) -> String {
        var end =
            detail.utf8.index(
                detail.startIndex, offsetBy: detailBytesMaximum, limitedBy: detail.endIndex) ?? detail.endIndex
        while end.samePosition(in: detail.unicodeScalars) == nil { end = detail.utf8.index(before: end) }
        return String(detail[..<end])
    }

    /// As it travels on the `dead` topic.
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

    /// Reads it back from the `dead` topic; nil for a message that tells no such story.
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

    /// The message as it was, to be sent again to where it came from; nil when that topic does not exist any more, or the
    /// message is not there as it was.
    package func replay(into channel: Channel?) -> OutgoingMessage? {
        guard isWhole else { return nil }
        return channel.map { OutgoingMessage(channel: $0, key: key, value: value, headers: headers) }
    }
}
