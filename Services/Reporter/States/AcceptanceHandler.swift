import Bus
import Topics

/// Tells webhooks of accepted messages. It posts nothing itself, so that no endpoint delays another app.
struct AcceptanceHandler: MessageHandler {
    let recorder: StateRecorder

    func handle(
        _ messages: [ReceivedMessage<MessageAcceptance>], context: HandlerContext
    ) async throws -> [OutgoingMessage] {
        try await recorder.note(messages.map(\.message))
        return []
    }
}
