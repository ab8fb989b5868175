package import ServiceKit
import Topics

/// What a list shows of a letter. The value is left out, since the topic may exceed memory.
package struct ListedLetter: Sendable {
    package let position: DeadPosition
    package let deadLettered: Timestamp
    package let channel: String
    /// Where the message was on its topic.
    package let origin: DeadPosition
    package let group: String
    package let reason: DeadLetter.Reason
    package let detail: String
    package let attempts: Int
    package let firstSeen: Timestamp
    package let key: [UInt8]?
    package let valueBytes: Int
    /// False if its topic is gone, or its value was too large to be kept.
    package let isReplayable: Bool

    package init(_ position: DeadPosition, deadLettered: Timestamp, letter: DeadLetter) {
        self.position = position
        self.deadLettered = deadLettered
        channel = letter.channel
        origin = DeadPosition(partition: letter.partition, offset: letter.offset)
        group = letter.group
        reason = letter.reason
        detail = letter.detail
        attempts = letter.attempts
        firstSeen = letter.firstSeen
        key = letter.key
        valueBytes = letter.value.count
        isReplayable = letter.isWhole && Topics.channel(named: letter.channel) != nil
    }
}
