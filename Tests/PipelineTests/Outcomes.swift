import Bus
import PushModel
import ServiceKit
import TestSupport
import Topics

/// Reads `results` like an analyst, and keeps the states of each device by task.
final class Outcomes: Sendable {
    private typealias States = [TaskID: [DeviceID: Set<DeliveryState>]]

    private let consumer: any BusConsumer
    private let seen = Monitor<States>([:])
    private let reading: Task<Void, Never>

    init(_ bus: any Bus) async throws {
        let consumer = try await bus.makeConsumer(ConsumerOptions(channel: Topics.results.channel, group: "test"))
        self.consumer = consumer
        reading = Task { [seen] in
            while let delivery = await consumer.next() {
                for message in delivery.messages {
                    guard let batch = try? ResultBatch(decoding: message.value) else { continue }
                    seen.change { states in
                        for result in batch.results {
                            states[batch.task, default: [:]][result.device, default: []].insert(result.state)
                        }
                    }
                }
                consumer.complete(delivery)
            }
        }
    }

    /// False if so many devices of the task have no result in time.
    func has(_ count: Int, of task: TaskID, within limit: Duration) async -> Bool {
        await onNativeThread("outcomes-wait") { [seen] in
            seen.wait(timeout: limit) { ($0[task]?.count ?? 0) >= count ? true : nil } ?? false
        }
    }

    func states(of task: TaskID) -> [DeviceID: Set<DeliveryState>] { seen.withLock { $0[task] ?? [:] } }

    /// Drops what has been read, so that a long run needs no more memory.
    func forget() {
        seen.change { $0 = [:] }
    }

    func close() async {
        consumer.stopTaking()
        _ = await reading.value
        await consumer.close()
    }
}
