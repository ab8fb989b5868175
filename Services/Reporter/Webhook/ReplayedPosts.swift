import Bus
import Topics

/// Posts dead-lettered reports and states that are replayed. What fails again is on `dead` before its message is
/// acknowledged.
struct ReplayedPosts: MessageHandler {
    /// Concurrent posts: an endpoint that does not answer holds each for as long as a request may take.
    static let atOnce = 16

    let reports: ReportPoster
    let states: StatePoster

    func handle(
        _ messages: [ReceivedMessage<WebhookPost>], context: HandlerContext
    ) async throws -> [OutgoingMessage] {
        await withTaskGroup(of: DeadLetter?.self) { group in
            for message in messages { group.addTask { await post(message.message) } }
            return await group.reduce(into: []) { letters, letter in
                if let letter { letters.append(letter.outgoing) }
            }
        }
    }

    private func post(_ post: WebhookPost) async -> DeadLetter? {
        switch post {
        case .report(let report): await reports.postAgain(report)
        case .states(let post): await states.postAgain(post)
        }
    }
}
