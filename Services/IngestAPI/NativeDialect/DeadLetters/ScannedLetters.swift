import Bus
import PushModel
import TaskKit

/// The newest letters of all apps that belong to a task.
struct ScannedLetters: Sendable {
    private var newest: NewestLetters
    private var replayed: Set<DeadPosition> = []

    init(limit: Int) {
        newest = NewestLetters(limit: limit)
    }

    mutating func add(_ message: IncomingMessage, record: DeadRecord) {
        switch record {
        case .letter(let letter):
            guard letter.key.flatMap({ TaskID(messageKey: $0) }) != nil else { return }
            newest.add(
                ListedLetter(DeadPosition(of: message), deadLettered: message.timestamp, letter: letter))
        // A mark has its letter's key, so it follows the letter.
        case .mark(let position): if newest.contains(position) { replayed.insert(position) }
        case .foreign: break
        }
    }

    var tasks: Set<TaskID> { Set(newest.sorted.compactMap { $0.key.flatMap { TaskID(messageKey: $0) } }) }

    /// Those of the tasks, newest first.
    func list(of tasks: Set<TaskID>, limit: Int) -> DeadLetterList {
        var list = DeadLetterList()
        for letter in newest.sorted.reversed() {
            guard let task = letter.key.flatMap({ TaskID(messageKey: $0) }), tasks.contains(task) else { continue }
            list.total += 1
            guard list.letters.count < limit else { continue }
            list.letters.append(
                DeadLetterAnswer(letter: letter, task: task, isReplayed: replayed.contains(letter.position)))
        }
        return list
    }
}
