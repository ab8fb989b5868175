import CommandKit
import PushModel
import RedisClient
import RedisStore
import ServiceKit
import Store

/// Memory of a ledger for one device and for a whole segment, and the rates of claims and settlements.
struct LedgerBench {
    private static let segments = 64
    private static let batch = 64

    func run() async throws -> [BenchFigure] {
        let server = try await LocalRedis(isDurable: false)
        let bare = try await RedisBenchmark.rate(
            port: server.port, clients: 2, pipeline: 16,
            ["SETRANGE", "bare:__rand_int__", "0", String(repeating: "x", count: LedgerBench.batch / 2)])
        return try await server.withClient { client in
            let ledger = RedisLedger(StoreConnection(client))
            let app = try AppID("bench")
            let single = try await single(ledger, app: app, client: client)
            let dense = TaskID(high: 2, low: 2)
            let devices = try await mark(ledger, task: dense, app: app)
            let held = try await memory(of: "led:{\(app):0}:*", client)
            var figures = [
                BenchFigure(name: "ledger.bytes_single", value: single, unit: "bytes"),
                BenchFigure(name: "ledger.bytes_dense_segment", value: held, unit: "bytes"),
            ]
            for (name, step) in [("ledger.claim", claim), ("ledger.settle", settle)] {
                let meter = try await BenchMeter(client)
                try await eachBatch { try await step(ledger, dense, SegmentID(app, number: $0), $1, $2) }
                let used = try await meter.read()
                // A batch is one call, compared with one call of the bare command.
                let batches = Double(devices / LedgerBench.batch)
                figures.append(
                    BenchFigure(
                        name: "\(name).rate", value: Double(devices) / used.seconds, unit: "devices/s",
                        ratio: batches / used.seconds / bare))
                figures += used.figures(name, per: 100_000, of: devices)
            }
            return figures
        }
    }

    /// Memory of all keys that one device's push leaves in its segment after delivery.
    private func single(_ ledger: RedisLedger, app: AppID, client: RedisClient) async throws -> Double {
        let task = TaskID(high: 1, low: 1)
        let segment = SegmentID(app, number: SegmentNumber(rawValue: 500))
        _ = try await ledger.plan(task, as: LedgerBench.plan(app, isFast: true))
        _ = try await ledger.mark(SegmentSet([7]), of: task, in: segment)
        let id = ClaimID(owner: 1, number: 1)
        try await claim(ledger, task: task, segment: segment, offsets: [7], id: id)
        try await settle(ledger, task: task, segment: segment, offsets: [7], id: id)
        try await ledger.resolve(job: 0, unmatched: 0, of: task)
        _ = try await ledger.close([segment], of: task)
        return try await memory(of: "*{\(segment)}*", client)
    }

    private func mark(_ ledger: RedisLedger, task: TaskID, app: AppID) async throws -> Int {
        _ = try await ledger.plan(task, as: LedgerBench.plan(app, isFast: false))
        let everyone = SegmentSet((0..<DeviceIndex.segmentCapacity).map { UInt16($0) })
        for number in 0..<LedgerBench.segments {
            let segment = SegmentID(app, number: SegmentNumber(rawValue: UInt32(number)))
            _ = try await ledger.mark(everyone, of: task, in: segment)
        }
        return LedgerBench.segments * DeviceIndex.segmentCapacity
    }

    /// All devices in batches; batches of the same segment are spread apart.
    private func eachBatch(
        _ step: @escaping @Sendable (SegmentNumber, [UInt16], ClaimID) async throws -> Void
    ) async throws {
        let batches = DeviceIndex.segmentCapacity / LedgerBench.batch
        _ = try await Concurrently.run(LedgerBench.segments * batches, atOnce: 32) { number in
            let start = number / LedgerBench.segments * LedgerBench.batch
            try await step(
                SegmentNumber(rawValue: UInt32(number % LedgerBench.segments)),
                (start..<start + LedgerBench.batch).map { UInt16($0) }, ClaimID(owner: 1, number: UInt64(number)))
        }
    }

    @Sendable private func claim(
        _ ledger: RedisLedger, task: TaskID, segment: SegmentID, offsets: [UInt16], id: ClaimID
    ) async throws {
        let verdict = try await ledger.claim(
            ClaimRequest(id: id, offsets: offsets, attempt: 0, lease: .seconds(60), countsBadge: false), of: task,
            in: segment)
        guard case .answers(let answers) = verdict, answers.allSatisfy({ $0 == .claimed(badge: nil) }) else {
            throw BenchError("a claim was refused: \(verdict)")
        }
    }

    @Sendable private func settle(
        _ ledger: RedisLedger, task: TaskID, segment: SegmentID, offsets: [UInt16], id: ClaimID
    ) async throws {
        let settled = try await ledger.settle(
            Settlement(
                claim: id,
                groups: [
                    Settlement.Group(offsets: offsets, state: .delivered, attempt: 0, status: 200, provider: .apns)
                ]),
            of: task, in: segment)
        guard settled == .settled(refused: SegmentSet()) else { throw BenchError("a settlement was refused") }
    }

    private static func plan(_ app: AppID, isFast: Bool) -> TaskPlan {
        TaskPlan(
            app: app, jobs: 1, isFast: isFast, deadline: SystemTimeSource().now + .seconds(3_600),
            policy: .atLeastOnce)
    }

    /// Memory of all keys that match a pattern, as reported by Redis.
    private func memory(of pattern: String, _ client: RedisClient) async throws -> Double {
        let keys = try await client.send(RedisCommand("KEYS", RedisArgument(pattern))).array ?? []
        var bytes = 0.0
        for key in keys.compactMap(\.bytes) {
            let usage = try await client.send(RedisCommand("MEMORY", "USAGE", RedisArgument(key)))
            bytes += Double(usage.integer ?? 0)
        }
        return bytes
    }
}
