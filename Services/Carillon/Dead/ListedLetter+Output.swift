import Bus
import ServiceKit

extension ListedLetter {
    static let header = ["POSITION", "DIED", "CHANNEL", "REASON", "ATTEMPTS", "GROUP", "REPLAYED", "DETAIL"]

    func row(isReplayed: Bool) -> [String] {
        let visible = VisibleBytes(isRaw: false)
        return [
            position.description, deadLettered.description, visible.line(channel, charactersMaximum: 40),
            reason.rawValue, String(attempts), visible.line(group, charactersMaximum: 40), isReplayed ? "yes" : "no",
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
            json.member("reason", reason.rawValue)
            json.member("detail", Redaction.redact(detail))
            json.member("attempts", attempts)
            json.member("first_seen", firstSeen.description)
            json.member("value_bytes", valueBytes)
            json.member("replayed", isReplayed)
        }
    }
}
