import Bus
import PushModel
import ServiceKit
import TestSupport
import Topics

/// Reads `reports` like an analyst, and stores the reports by task.
final class Reports: Sendable {
    private let consumer: any BusConsumer
    private let seen = Monitor<[TaskID: [TaskReport]]>([:])
    private let reading: Task<Void, Never>

    init(_ bus: any Bus) async throws {
        let consumer = try await bus.makeConsumer(ConsumerOptions(channel: Topics.reports.channel, group: "test"))
        self.consumer = consumer
        reading = Task { [seen] in
            while let delivery = await consumer.next() {
                for message in delivery.messages {
                    guard let report = try? TaskReport(decoding: message.value) else { continue }
                    seen.change { $0[report.task, default: []].append(report) }
                }
                consumer.complete(delivery)
            }
        }
    }

    /// Waits for the report of a task; nil if none arrives.
    func report(of task: TaskID, within limit: Duration = .seconds(240)) async -> TaskReport? {
        await onNativeThread("report-wait") { [seen] in seen.wait(timeout: limit) { $0[task]?.first } }
    }

    /// All reports received, including duplicates.
    func all(of task: TaskID) -> [TaskReport] {
        seen.withLock { $0[task] ?? [] }
    }

    func close() async {
        consumer.stopTaking()
        _ = await reading.value
        await consumer.close()
    }
}
