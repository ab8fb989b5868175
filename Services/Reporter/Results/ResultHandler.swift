import Bus
import PushModel
import Topics

/// Takes results: has their tasks looked at, removes devices that are gone, counts.
struct ResultHandler: MessageHandler {
    let queue: ReportingQueue
    let removal: DeviceRemoval
    let meters: ResultMeters

    func handle(
        _ messages: [ReceivedMessage<ResultBatch>], context: HandlerContext
    ) async throws -> [OutgoingMessage] {
        let batches = messages.map(\.message)
        // First, so that a registry that is away keeps no task open.
        queue.want(Set(batches.map(\.task)), isDue: false)
        let feedback = try await removal.perform(batches)
        meters.note(batches)
        return feedback.map { Topics.feedback.message($0, key: $0.key) }
    }
}
