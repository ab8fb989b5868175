import Bus
import Topics

/// What lies at one position of `dead`.
enum DeadRecord {
    case letter(DeadLetter)
    /// The letter at this position was replayed.
    case mark(DeadPosition)
    /// Somebody else's message.
    case foreign

    init(_ message: IncomingMessage) {
        // A replayed letter that died again has lost nothing of its own headers, so a mark is told by having no story.
        if let letter = DeadLetter(fromDead: message) {
            self = .letter(letter)
        } else if let mark = ReplayMark(fromDead: message) {
            self = .mark(mark.position)
        } else {
            self = .foreign
        }
    }
}

extension Bus {
    func scanDead(_ visit: (IncomingMessage, DeadRecord) async throws -> Bool) async throws {
        try await scan(Topics.dead.channel) { try await visit($0, DeadRecord($0)) }
    }
}
