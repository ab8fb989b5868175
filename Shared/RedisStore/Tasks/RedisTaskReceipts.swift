package import PushModel
import RedisClient
import ServiceKit
package import Store

/// The receipts in Redis: fingerprints in many small sets of numbers, which take eight bytes each and about as much
/// again for their keys, and counters in hashes that many tasks share, as their traces do.
package struct RedisTaskReceipts: TaskReceipts {
    private let redis: StoreConnection

    package init(_ redis: StoreConnection) {
        self.redis = redis
    }

    package func count(
        _ receipts: [ReceiptMark], of task: TaskID, day: UInt16
    ) async throws(StoreError) -> ReceiptCounts {
        guard !receipts.isEmpty else { return ReceiptCounts() }
        let fingerprints = receipts.map { $0.fingerprint(in: task) }
        let answer = try await redis.run(
            RedisTaskReceipts.count,
            keys: [TaskReceiptKeys.counters(of: task, day: day)]
                + fingerprints.map { TaskReceiptKeys.fingerprints($0, of: task, day: day) },
            arguments: [
                RedisArgument(TaskReceiptBounds.end(of: day).milliseconds), RedisArgument(task.bytes),
            ]
                + zip(receipts, fingerprints).flatMap { receipt, fingerprint in
                    [RedisArgument([receipt.kind.rawValue]), RedisArgument(Int64(bitPattern: fingerprint))]
                })
        guard let flags = answer.array, flags.count == receipts.count else { throw unreadable }
        return zip(receipts, flags).reduce(into: ReceiptCounts()) { counted, pair in
            if pair.1.integer == 1 { counted[pair.0.kind] += 1 }
        }
    }

    package func counts(of task: TaskID, days: ClosedRange<UInt16>) async throws(StoreError) -> ReceiptCounts {
        let fields = ReceiptKind.allCases.map { RedisArgument(task.bytes + [$0.rawValue]) }
        let answers = try await redis.send(
            days.map { day in RedisCommand(["HMGET", TaskReceiptKeys.counters(of: task, day: day)] + fields) })
        return answers.reduce(into: ReceiptCounts()) { counts, answer in
            for (kind, value) in zip(ReceiptKind.allCases, answer.array ?? []) {
                counts[kind] += value.string.flatMap { Int($0) } ?? 0
            }
        }
    }

    private var unreadable: StoreError {
        StoreError(.corrupt, message: "invalid reply from Redis: cannot decode which receipts were counted")
    }

    static let count = RedisScript(PackageResources.count_receipts_lua)
}
