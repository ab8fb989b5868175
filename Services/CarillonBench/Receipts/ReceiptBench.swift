import CommandKit
import PushModel
import RedisClient
import RedisStore
import ServiceKit
import Store

/// Posts receipts of tasks that need not exist, because only the proof is checked, and waits until all are counted.
struct ReceiptBench {
    private static let connections = 4
    private static let pause = Duration.milliseconds(50)
    /// For what the reporter has not counted when posting ends.
    private static let patience = Duration.seconds(300)

    let harness: LocalHarness
    let duration: Duration

    func run() async throws -> [BenchFigure] {
        let loads = try (0..<ReceiptBench.connections).map { number in
            try ReceiptLoad(harness, task: TaskID(high: .random(in: 0 ... .max), low: UInt64(number)))
        }
        let client = RedisClient(try RedisConfiguration(url: harness.redis), log: .bench, metrics: Metrics())
        do {
            let receipts = RedisTaskReceipts(StoreConnection(client))
            let started = Usage.now
            let posted = try await post(loads)
            let seconds = (Usage.now - started).seconds
            let backlog = posted - (try await counted(receipts, loads: loads))
            try await waitUntil(posted, areCountedIn: receipts, loads: loads)
            await client.close()
            return [
                BenchFigure(name: "receipts.rate", value: Double(posted) / seconds, unit: "receipts/s"),
                BenchFigure(name: "receipts.backlog", value: Double(backlog), unit: "receipts"),
            ]
        } catch {
            await client.close()
            throw error
        }
    }

    private func post(_ loads: [ReceiptLoad]) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for load in loads { group.addTask { [duration] in try await load.run(for: duration) } }
            return try await group.reduce(0, +)
        }
    }

    private func counted(_ receipts: RedisTaskReceipts, loads: [ReceiptLoad]) async throws -> Int {
        var sum = 0
        for load in loads { sum += try await receipts.counts(of: load.task, days: load.day...load.day).total }
        return sum
    }

    private func waitUntil(
        _ posted: Int, areCountedIn receipts: RedisTaskReceipts, loads: [ReceiptLoad]
    ) async throws {
        let deadline = SystemTimeSource().uptime + ReceiptBench.patience
        while true {
            let count = try await counted(receipts, loads: loads)
            guard count != posted else { return }
            guard SystemTimeSource().uptime < deadline else {
                throw BenchError("\(posted - count) of \(posted) receipts were not counted")
            }
            try await Task.sleep(for: ReceiptBench.pause)
        }
    }
}
