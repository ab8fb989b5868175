import Bus
import ServiceKit

/// The progress of one replay.
struct LetterReplay {
    private(set) var batch = LetterBatch()
    private(set) var outcome = ReplayedLetters()
    private var waiting: Set<DeadPosition>

    init(of positions: Set<DeadPosition>) {
        waiting = positions
    }

    func awaits(_ position: DeadPosition) -> Bool { waiting.contains(position) }

    var isComplete: Bool { waiting.isEmpty }

    /// A message that is not the app's own remains among those that were not found.
    mutating func take(_ message: IncomingMessage, record: DeadRecord, isOwn: Bool) {
        guard isOwn else { return }
        let position = DeadPosition(of: message)
        waiting.remove(position)
        do throws(LetterRefusal) {
            try batch.add(position, record: record)
        } catch {
            outcome.refused[position] = error.reason { OutsideText.excerpt($0) }
        }
    }

    mutating func noteSent() {
        outcome.replayed += batch.count
        batch = LetterBatch()
    }

    /// Call once the topic was read.
    mutating func refuseMissing() {
        for position in waiting { outcome.refused[position] = "no dead letter at this position" }
        waiting = []
    }
}
