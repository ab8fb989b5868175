import Bus
import PushModel
import Rendering
import ServiceKit
import Store
import TaskModel
import Topics

/// Publishes planned tasks on `events`, for the listeners of `event-stream`. No failure here fails a push or delays it
/// for longer than the producer's patience.
struct EventPublisher: Sendable {
    /// A bus that is away delays everything else of a task too.
    static let patience = Duration.seconds(2)

    /// Why a task is not shown. The raw value is a label of a metric.
    enum Omission: String, CaseIterable {
        case oversized
        case unrenderable
        case unavailable
    }

    private let producer: any BusProducer
    private let ledger: any Ledger
    private let time: any TimeSource
    private let log: Log
    private let published: Counter
    private let omitted: [Omission: Counter]

    /// The producer should have `patience`.
    init(_ producer: any BusProducer, ledger: any Ledger, environment: WorkerEnvironment) {
        self.producer = producer
        self.ledger = ledger
        time = environment.time
        log = environment.log
        published = environment.metrics.counter(.resolverEventsPublished)
        omitted = Dictionary(
            uniqueKeysWithValues: Omission.allCases.map {
                ($0, environment.metrics.counter(.resolverEventsOmitted, labels: ["reason": $0.rawValue]))
            })
    }

    /// Call with a task that has a plan, before it is acknowledged: a redelivered task is published again, with the
    /// same id.
    func publish(_ message: ReceivedMessage<TaskMessage>) async {
        guard case .task(let task) = message.message else { return }
        let topics = task.listenedTopics
        guard !topics.isEmpty, let pushMessage = task.content.message, time.now < task.deadline else { return }
        do {
            guard try await !ledger.isCancelled(task.id) else { return }
            let texts = try RenderedTexts(pushMessage, variables: task.content.variables)
            let event = ListenerEvent(
                task: task.id, app: task.app, topics: topics, title: texts.title, body: texts.body,
                data: pushMessage.data, time: time.now)
            let outgoing = Topics.events.message(event, key: event.key, trace: message.trace)
            guard outgoing.value.count <= ListenerEvent.bytesMaximum else {
                return omit(task, as: .oversized, because: "\(outgoing.value.count) bytes")
            }
            try await producer.send([outgoing])
            published.increment()
        } catch let error as RenderingError {
            omit(task, as: .unrenderable, because: "\(error)")
        } catch {
            omit(task, as: .unavailable, because: "\(error)")
        }
    }

    private func omit(_ task: PushTask, as omission: Omission, because reason: String) {
        omitted[omission]?.increment()
        log.warning("task not shown to listeners", [.task: "\(task.id)", .app: task.app.text, .reason: reason])
    }
}
