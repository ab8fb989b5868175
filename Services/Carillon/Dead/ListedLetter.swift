import Bus
import ServiceKit

/// Fields of a letter that the list shows. The value is left out, since the topic may exceed memory.
struct ListedLetter {
    static let header = ["POSITION", "DIED", "CHANNEL", "REASON", "ATTEMPTS", "GROUP", "REPLAYED", "DETAIL"]

    let position: DeadPosition
    let deadLettered: Timestamp
    private let channel: String
    private let origin: DeadPosition
    private let group: String
    private let reason: String
    private let detail: String
    private let attempts: Int
    private let firstSeen: Timestamp
    private let valueBytes: Int

    init(_ position: DeadPosition, deadLettered: Timestamp, letter: DeadLetter) {
        self.position = position
        self.deadLettered = deadLettered
        channel = letter.channel
        origin = DeadPosition(partition: letter.partition, offset: letter.offset)
        group = letter.group
        reason = letter.reason.rawValue
        detail = letter.detail
        attempts = letter.attempts
        firstSeen = letter.firstSeen
        valueBytes = letter.value.count
    }

    func row(isReplayed: Bool) -> [String] {
        let visible = VisibleBytes(isRaw: false)
        return [
            position.description, deadLettered.description, visible.line(channel, charactersMaximum: 40), reason,
            String(attempts), visible.line(group, charactersMaximum: 40), isReplayed ? "yes" : "no",
            visible.line(detail, charactersMaximum: 80),
        ]
    }

    func json(isReplayed: Bool) -> String {
        JSONText.object { json in
            json.member("position", position.description)
            json.member("died", deadLettered.description)
            json.member("channel", channel)
            json.member("partition", Int(origin.partition))
            json.member("offset", Int(origin.offset))
            json.member("group", group)
            json.member("reason", reason)
            json.member("detail", Redaction.redact(detail))
            json.member("attempts", attempts)
            json.member("first_seen", firstSeen.description)
            json.member("value_bytes", valueBytes)
            json.member("replayed", isReplayed)
        }
    }
}
