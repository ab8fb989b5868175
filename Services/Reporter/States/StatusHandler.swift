import Bus
import Topics

/// Tells webhooks of accepted messages and of transitions of devices. It posts nothing itself, so that no endpoint delays
/// another app.
struct StatusHandler: MessageHandler {
    let recorder: StateRecorder

    func handle(
        _ messages: [ReceivedMessage<StatusNotice>], context: HandlerContext
    ) async throws -> [OutgoingMessage] {
        var acceptances: [MessageAcceptance] = []
        var transitions: [DeviceTransition] = []
        for message in messages {
            switch message.message {
            case .acceptance(let acceptance): acceptances.append(acceptance)
            case .transition(let transition): transitions.append(transition)
            }
        }
        try await recorder.note(acceptances)
        try await recorder.note(transitions)
        return []
    }
}
