import Bus
import PushModel
import ServiceKit
import TaskKit

/// One letter with its value.
struct DeadLetterDetails: Sendable {
    var letter: DeadLetterAnswer
    private let content: LetterContent

    /// Nil for a letter that belongs to no task.
    init?(_ message: IncomingMessage, letter: DeadLetter) {
        guard let task = letter.key.flatMap({ TaskID(messageKey: $0) }) else { return nil }
        self.letter = DeadLetterAnswer(
            letter: ListedLetter(DeadPosition(of: message), deadLettered: message.timestamp, letter: letter),
            task: task, isReplayed: false)
        content = LetterContent(letter.value)
    }

    var text: String {
        JSONText.object { json in
            letter.write(to: &json)
            json.member("content", content.text)
            json.member("content_cut", content.isCut)
        }
    }
}
