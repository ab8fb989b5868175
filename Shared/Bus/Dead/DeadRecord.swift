import Topics

/// One record of `dead`.
package enum DeadRecord {
    case letter(DeadLetter)
    /// Marks the letter at this position as replayed.
    case mark(DeadPosition)
    /// A message of another program.
    case foreign

    package init(_ message: IncomingMessage) {
        // A dead letter keeps all headers of its message, so a mark must have no dead-letter headers.
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
    package func scanDead(_ visit: (IncomingMessage, DeadRecord) async throws -> Bool) async throws {
        try await scan(Topics.dead.channel) { try await visit($0, DeadRecord($0)) }
    }
}
