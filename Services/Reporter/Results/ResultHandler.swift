import Bus
import PushModel
import Topics

/// Handles results: requests checks of their tasks, tells webhooks, removes invalid devices, registers channels of
/// Live Activities, and counts.
struct ResultHandler: MessageHandler {
    let queue: ReportingQueue
    let removal: DeviceRemoval
    let states: StateRecorder
    let channels: ChannelRegistration
    let meters: ResultMeters

    func handle(
        _ messages: [ReceivedMessage<ResultBatch>], context: HandlerContext
    ) async throws -> [OutgoingMessage] {
        let batches = messages.map(\.message)
        // First, so that an unavailable registry keeps no task open.
        queue.want(Set(batches.map(\.task)), isDue: false)
        // Before the removal, as a webhook is told the tokens of devices.
        try await states.note(batches)
        let feedback = try await removal.perform(batches)
        try await channels.note(batches)
        meters.note(batches)
        return feedback.map { Topics.feedback.message($0, key: $0.key) }
    }
}
