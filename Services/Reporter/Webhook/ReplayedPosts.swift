import Bus
import Topics

/// Posts dead-lettered reports that are replayed. A report that fails again is on `dead` before its message is
/// acknowledged.
struct ReplayedPosts: MessageHandler {
    /// Concurrent posts: an endpoint that does not answer holds each for as long as a request may take.
    static let atOnce = 16

    let poster: ReportPoster

    func handle(
        _ messages: [ReceivedMessage<ReportPost>], context: HandlerContext
    ) async throws -> [OutgoingMessage] {
        try await withThrowingTaskGroup(of: DeadLetter?.self) { group in
            for message in messages { group.addTask { try await poster.postAgain(message.message) } }
            return try await group.reduce(into: []) { letters, letter in
                if let letter { letters.append(letter.outgoing) }
            }
        }
    }
}
