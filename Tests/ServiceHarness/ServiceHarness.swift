package import Bus
package import PushModel
import RedisBus
package import RedisClient
package import RedisStore
package import ServiceKit
import Store
import TestSupport
package import Topics

/// One Redis with a bus and every store, next to which a test runs the real process of a service.
package final class ServiceHarness: Sendable {
    package let app: AppID
    package let bus: any Bus
    package let redis: RedisClient
    package let ledger: RedisLedger
    package let archive: RedisTaskArchive
    package let agenda: RedisTaskAgenda
    private let server: RedisServer

    package init() async throws {
        app = try AppID("news")
        server = try await RedisServer(.forStores)
        let (log, metrics, time) = (Log(service: "test", level: .error), Metrics(), SystemTimeSource())
        let configuration = try RedisConfiguration(url: server.url)
        bus = RedisBus(
            redis: configuration, RedisBusConfiguration(lease: .seconds(1), heartbeat: .milliseconds(100)), log: log,
            metrics: metrics, health: Health(time: time), time: time, random: SystemRandomSource())
        redis = RedisClient(configuration, log: log, metrics: metrics)
        let store = StoreConnection(redis)
        ledger = RedisLedger(store)
        archive = RedisTaskArchive(store, time: time)
        agenda = RedisTaskAgenda(store)
    }

    package func openRegistry() async throws -> RedisRegistry {
        try await RedisRegistry.open(
            StoreConnection(redis), mode: .authoritative, log: Log(service: "test", level: .error))
    }

    /// Starts a service with leases short enough for a test to see them expire. Returns when the service runs.
    package func start(_ service: String, settings: [String: String] = [:]) async throws -> ChildProcess {
        let common = [
            "CARILLON_BUS": server.url, "CARILLON_ADMIN_PORT": "0", "CARILLON_BUS_LEASE": "1s",
            "CARILLON_BUS_HEARTBEAT": "100ms",
        ]
        let process = try ChildProcess.service(service, settings: common.merging(settings) { $1 })
        guard await process.line(where: { $0.contains("\"message\":\"running\"") }) != nil else {
            throw SetupError(description: "\(service) did not start: \(process.lines)")
        }
        return process
    }

    package func send(_ messages: [OutgoingMessage]) async throws {
        let producer = try await bus.makeProducer(ProducerOptions())
        try await producer.send(messages)
        await producer.close()
    }

    /// Returns the messages on a channel that are not yet completed.
    package func scan(_ channel: Channel) async throws -> [IncomingMessage] {
        var messages: [IncomingMessage] = []
        try await bus.scan(channel) { message in
            messages.append(message)
            return true
        }
        return messages
    }

    /// Returns how many of these devices a second sender could claim for the message with this number.
    package func claims(
        _ offsets: [UInt16], attempt: UInt8, of task: TaskID, in segment: SegmentID, message number: Int
    ) async throws -> Int {
        var claimed = 0
        for part in offsets.chunks(of: ClaimRequest.devicesMaximum).map(Array.init) {
            let request = ClaimRequest(
                id: ClaimID(owner: 2, number: UInt64(number)), offsets: part, attempt: attempt, lease: .seconds(90),
                countsBadge: false)
            guard case .answers(let answers) = try await ledger.claim(request, of: task, in: segment) else { continue }
            claimed += answers.count { $0 == .claimed(badge: nil) }
        }
        return claimed
    }
}
