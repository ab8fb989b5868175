import Bus
import PushModel
import ServiceKit

/// A letter without its value, as the API shows it.
struct DeadLetterAnswer: Sendable {
    let letter: ListedLetter
    let task: TaskID
    var isReplayed: Bool

    var text: String { JSONText.object { write(to: &$0) } }

    func write(to json: inout JSONText) {
        json.member("position", "\(letter.position)")
        json.member("died", "\(letter.deadLettered)")
        json.member("channel", letter.channel)
        json.member("group", letter.group)
        json.member("reason", letter.reason.rawValue)
        json.member("detail", Redaction.redact(letter.detail))
        json.member("attempts", letter.attempts)
        json.member("first_seen", "\(letter.firstSeen)")
        json.member("value_bytes", letter.valueBytes)
        json.member("replayed", isReplayed)
        json.member("replayable", letter.isReplayable)
        json.member("task", "\(task)")
    }
}
