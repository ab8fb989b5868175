package import PushModel
import RedisClient
import ServiceKit
package import Store

/// The receipts in Redis: fingerprints in many small sets of numbers, which take eight bytes each and about as much
/// again for their keys, and counters in hashes that many tasks share, as their traces do.
package struct RedisTaskReceipts: TaskReceipts {
    private let redis: StoreConnection
    private let sumRetention: Duration

    package init(_ redis: StoreConnection, sumRetention: Duration = StatisticsBounds.dayRetention) {
        self.redis = redis
        self.sumRetention = sumRetention
    }

    package func count(_ receipts: [ReceiptMark], of task: ReceiptTask) async throws(StoreError) -> ReceiptCounts {
        guard !receipts.isEmpty else { return ReceiptCounts() }
        let fingerprints = receipts.map { $0.fingerprint(in: task.task) }
        let names = StatisticsKeys.names(in: task.places.map(\.dimension))
        let sums = TaskReceiptKeys.sums(of: task.app, day: task.day, shard: task.shard)
        let answer = try await redis.run(
            RedisTaskReceipts.count,
            keys: [
                TaskReceiptKeys.counters(of: task.task, day: task.day),
                TaskReceiptKeys.places(of: task.task, day: task.day),
            ] + sums.keys(names)
                + fingerprints.map { TaskReceiptKeys.fingerprints($0, of: task.task, day: task.day) },
            arguments: head(of: task, names: names)
                + zip(receipts, fingerprints).flatMap { receipt, fingerprint in
                    [
                        RedisArgument([receipt.kind.rawValue]), RedisArgument(Int64(bitPattern: fingerprint)),
                        RedisArgument(receipt.platformField),
                    ]
                })
        guard let flags = answer.array, flags.count == receipts.count else { throw unreadable }
        return zip(receipts, flags).reduce(into: ReceiptCounts()) { counted, pair in
            if pair.1.integer == 1 { counted[pair.0.kind] += 1 }
        }
    }

    private func head(of task: ReceiptTask, names: [String]) -> [RedisArgument] {
        let sumsEnd = ReceiptProof.begin(of: task.day) + StatisticsInterval.day.length + sumRetention
        let head = [
            RedisArgument(TaskReceiptBounds.end(of: task.day).milliseconds), RedisArgument(sumsEnd.milliseconds),
            RedisArgument(task.task.bytes), RedisArgument(PackedPlaces.encode(task.places)),
            RedisArgument(names.count), RedisArgument(task.places.count), RedisArgument(StatisticsBounds.other),
        ]
        return head + names.map { RedisArgument($0) }
            + task.places.flatMap { place in
                [
                    RedisArgument(StatisticsKeys.number(of: place.dimension, names: names)),
                    RedisArgument(StatisticsKeys.prefix(of: place.dimension) + place.value),
                ]
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

    package func places(of task: TaskID, day: UInt16) async throws(StoreError) -> [StatisticsPlace]? {
        let answer = try await redis.send(
            RedisCommand("HGET", TaskReceiptKeys.places(of: task, day: day), RedisArgument(task.bytes)))
        return answer.bytes.flatMap { PackedPlaces.decode($0) }
    }

    private var unreadable: StoreError {
        StoreError(.corrupt, message: "invalid reply from Redis: cannot decode which receipts were counted")
    }

    static let count = RedisScript(PackageResources.count_receipts_lua, using: .statisticsBounds, .sums)
}

// Sums of days.
extension RedisTaskReceipts {
    /// Days that are read together, where each has few values, and where it may have a thousand for each shard.
    private static let shortDaysAtOnce = 32
    private static let longDaysAtOnce = 1

    package func sums(
        of app: AppID, by dimension: StatisticsDimension, values: [String]? = nil, days: [UInt16]
    ) async throws(StoreError) -> [UInt16: [[UInt8]: ReceiptCounts]] {
        let reading = StatisticsReading(of: dimension, values: values)
        let atOnce = reading.isLong ? RedisTaskReceipts.longDaysAtOnce : RedisTaskReceipts.shortDaysAtOnce
        var sums: [UInt16: [[UInt8]: ReceiptCounts]] = [:]
        for days in days.chunks(of: atOnce) {
            let places = days.flatMap { day in (0..<TaskReceiptKeys.shardCount).map { (day: day, shard: $0) } }
            let answers = try await redis.send(
                places.map { reading.command(TaskReceiptKeys.sums(of: app, day: $0.day, shard: $0.shard)) })
            for (place, answer) in zip(places, answers) {
                try RedisTaskReceipts.add(reading.entries(answer), to: &sums[place.day, default: [:]])
            }
        }
        return sums
    }

    private static func add(
        _ entries: [(value: [UInt8], sums: String)], to sums: inout [[UInt8]: ReceiptCounts]
    ) throws(StoreError) {
        for (value, text) in entries {
            let numbers = text.split(separator: ",").map { Int($0) }
            guard !numbers.isEmpty, !numbers.contains(nil) else {
                throw StoreError(.corrupt, message: "invalid data in Redis: cannot decode the sums of receipts")
            }
            for (kind, number) in zip(ReceiptKind.allCases, numbers) {
                sums[value, default: ReceiptCounts()][kind] += number ?? 0
            }
        }
    }
}

extension ReceiptTask {
    fileprivate var shard: UInt64 { TaskReceiptKeys.shard(of: task) }
}

extension ReceiptMark {
    fileprivate var platformField: String { StatisticsKeys.prefix(of: .platform) + platform.rawValue }
}
