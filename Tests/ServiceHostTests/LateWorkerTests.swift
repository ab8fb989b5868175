import Bus
import MemoryBus
import RedisClient
import ServiceKit
import TestSupport
import Testing
import Topics

@testable import ServiceHost

/// Tests when a service's workers join and leave their groups.
@Suite(.timeLimit(.minutes(3))) struct LateWorkerTests {
    private let bus = WatchedBus()
    private let topic = TestTopics.make(partitions: 1)
    private let test = TestEnvironment.real

    private func worker() -> any Service {
        ServiceContext(
            bus: bus, environment: test.forWorkers, workerOptions: WorkerOptions(), redis: RedisConfiguration(),
            hasLoggedRegistry: false, memoryPercent: 70
        ).worker(ConsumerOptions(channel: topic.channel, group: "g"), handler: SilentHandler())
    }

    /// Goal: partitions do not wait for a service that is still being built. Method: create a worker without running
    /// it, as a slow or aborted build leaves it behind.
    @Test func joinsOnlyWhenItIsRun() async throws {
        let worker = worker()
        #expect(bus.joins == 0)
        #expect(await test.health.obstacles() == ["g on \(topic.declaration.name): not in its group yet"])
        try await withRunning([worker]) { #expect(await bus.isAsked(1)) }
        #expect(bus.joins == 1)
        #expect(await test.health.obstacles().isEmpty)
    }

    /// Goal: with more replicas than partitions, all replicas become ready.
    @Test func isReadyWithoutAPartition() async throws {
        let busy = try await bus.makeConsumer(ConsumerOptions(channel: topic.channel, group: "g"))
        let idle = try await bus.makeConsumer(ConsumerOptions(channel: topic.channel, group: "g"))
        #expect([busy, idle].map(\.assignedPartitions) == [1, 0])
        #expect(idle.hasJoined)
        await busy.close()
        await idle.close()
    }

    @Test func aStopEndsTheWaitForTheBus() async throws {
        bus.goAway()
        let worker = worker()
        try await withRunning([worker]) { #expect(await bus.isAsked(1)) }
        #expect(bus.joins == 0)
    }

    @Test func aStopBeforeTheRunIsHeeded() async throws {
        let worker = worker()
        worker.stop()
        try await worker.run()
    }
}

private struct SilentHandler: MessageHandler {
    func handle(
        _ messages: [ReceivedMessage<OpaqueMessage>], context: HandlerContext
    ) async throws -> [OutgoingMessage] { [] }
}

/// A bus in memory that counts requests for a consumer, and can be unavailable.
private final class WatchedBus: Bus {
    private struct State {
        var asked = 0
        var joins = 0
        var isAway = false
    }

    private let bus = MemoryBus(time: SystemTimeSource(), random: SystemRandomSource())
    private let state = Monitor(State())

    var joins: Int { state.withLock { $0.joins } }

    func goAway() {
        state.withLock { $0.isAway = true }
    }

    func isAsked(_ count: Int) async -> Bool {
        await blocking { [state] in state.wait(timeout: .hangLimit) { $0.asked >= count ? true : nil } ?? false }
    }

    func makeProducer(_ options: ProducerOptions) async throws(BusError) -> any BusProducer {
        try await bus.makeProducer(options)
    }

    func makeConsumer(_ options: ConsumerOptions) async throws(BusError) -> any BusConsumer {
        let isAway = state.change { state in
            state.asked += 1
            if !state.isAway { state.joins += 1 }
            return state.isAway
        }
        guard !isAway else { throw BusError(.unavailable, message: "away") }
        return try await bus.makeConsumer(options)
    }

    func scan(_ channel: Channel, visit: (IncomingMessage) async throws -> Bool) async throws {}
    func readiness() async -> Health.Readiness { .ready }
    func close() async {}
}
