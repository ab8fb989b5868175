import Bus
import KafkaBus
import PushModel
import RedisStore
import RegistryLog
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

/// The registry as deployed: a log in Kafka, Redis, several processes.
@Suite(.timeLimit(.minutes(5))) struct HarnessTests {
    private let app: AppID
    private let topics: [TopicName]
    private let users = (0..<200).map { "user-\($0)" }

    init() throws {
        app = try AppID("house")
        topics = try (0..<10).map { try TopicName("topic \($0)") }
    }

    /// Registers devices with badges, aliases and subscriptions, and removes every tenth; returns all ids ever created.
    private func fill(_ registry: RedisRegistry, numbers: Range<Int>) async throws -> [DeviceID] {
        try await withThrowingTaskGroup(of: [DeviceID].self) { writers in
            let width = 50
            for writer in 0..<width {
                writers.addTask {
                    var ids: [DeviceID] = []
                    for number in numbers where number % width == writer {
                        ids.append(try await add(number, to: registry))
                    }
                    return ids
                }
            }
            return try await writers.reduce(into: []) { $0 += $1 }
        }
    }

    private func add(_ number: Int, to registry: RedisRegistry) async throws -> DeviceID {
        let changes = DeviceChanges(
            language: ["de", "en", "ru"][number % 3], badge: number % 4 == 0 ? UInt32(number % 50) : nil,
            aliases: [.externalUser: users[number % users.count]])
        let id = try await registry.register(try Samples.token(number), changes: changes, in: app).registered.id
        let wanted = (0..<(number % 4)).map { topics[(number + $0 * 3) % topics.count] }
        let options: SubscriptionOptions = number % 5 == 0 ? .ignoreMessage : []
        if !wanted.isEmpty {
            _ = try await registry.setSubscriptions(
                of: id, to: Dictionary(wanted.map { ($0, options) }) { $1 }, in: app)
        }
        if number % 10 == 0 {
            #expect(try await registry.remove(id, in: app))
            // The token returns with another device, in any segment.
            if number % 20 == 0 {
                _ = try await registry.register(try Samples.token(number), changes: DeviceChanges(), in: app)
            }
        }
        return id
    }

    private func snapshot(
        _ registry: RedisRegistry, count: Int, ids: [DeviceID]
    ) async throws -> RegistrySnapshot {
        let tokens = try (0..<count).map { try Samples.token($0) }
        let known = try await withThrowingTaskGroup(of: DeviceID?.self) { questions in
            for token in tokens { questions.addTask { try await registry.device(of: token, in: app) } }
            return try await questions.reduce(into: Set(ids)) { known, id in
                if let id { known.insert(id) }
            }
        }
        return try await RegistrySnapshot(
            of: registry, in: app, tokens: tokens, ids: Array(known), users: users, topics: topics)
    }

    /// Goal: a Redis that lost everything answers no requests and is refilled from the log with the same devices,
    /// subscriptions, badges and names. Method: everything is compared before and after; the services run all the time.
    @Test func aWipedRedisComesBack() async throws {
        let harness = try await HarnessFixture()
        let member = try await harness.member()
        let count = 600
        try await member.run {
            try await waitUntil { try await member.store.state() == .ready }
            let ids = try await fill(member.registry, numbers: 0..<count)
            let before = try await snapshot(member.registry, count: count, ids: ids)
            #expect(before.devices.count == before.everyone)
            #expect(before.everyone == count / 10 * 9 + count / 20)

            try await harness.wipe()
            try await expectNotReady(member, id: ids[0])
            let rebuilder = try await harness.member()
            let progress = try await rebuilder.rebuild().run { _ in }
            #expect(progress.devices == before.everyone)
            let after = try await snapshot(member.registry, count: count, ids: ids)
            #expect(after.devices == before.devices)
            #expect(after.subscriptions == before.subscriptions)
            #expect(after == before)

            // Afterwards a known token keeps its id, and a new one gets another.
            let again = try await member.registry.register(
                try Samples.token(1), changes: DeviceChanges(language: "fr"), in: app)
            let known = before.ofTokens[try Samples.token(1)]
            #expect(!again.isNew && again.registered.id == known)
            let new = try await member.registry.register(try Samples.token(count), changes: DeviceChanges(), in: app)
            #expect(new.isNew && before.devices[new.registered.id] == nil)
            #expect(await member.environment.health.obstacles().isEmpty)
            await rebuilder.close()
        }
        await member.close()
    }

    private func expectNotReady(_ member: HarnessMember, id: DeviceID) async throws {
        func code(_ body: () async throws -> Void) async -> StoreError.Code? {
            await #expect(throws: StoreError.self) { try await body() }?.code
        }
        let (registry, user) = (member.registry, try Alias(.externalUser, value: users[0]))
        let token = try Samples.token(3)
        #expect(await code { _ = try await registry.device(id, in: app) } == .notReady)
        #expect(await code { _ = try await registry.change(id, changes: DeviceChanges(), in: app) } == .notReady)
        #expect(
            await code { _ = try await registry.register(token, changes: DeviceChanges(), in: app) } == .notReady)
        #expect(await code { _ = try await registry.remove(id, in: app) } == .notReady)
        #expect(await code { _ = try await registry.subscriptions(of: id, in: app) } == .notReady)
        #expect(await code { _ = try await registry.subscribe(id, to: topics[0], options: [], in: app) } == .notReady)
        #expect(await code { _ = try await registry.devices(of: user, in: app) } == .notReady)
        #expect(await code { _ = try await registry.device(of: token, in: app) } == .notReady)
        #expect(await code { _ = try await registry.segments(of: .everyone, in: app) } == .notReady)
        #expect(await code { _ = try await registry.segments(of: .topic(topics[0]), in: app) } == .notReady)
        #expect(await code { _ = try await registry.size(of: .everyone, in: app) } == .notReady)
        let task = TaskID(high: 1, low: 1)
        #expect(await code { _ = try await registry.countFailure(of: id, by: task, limit: 1, in: app) } == .notReady)
        let segment = SegmentID(app, number: id.index.segment)
        #expect(await code { _ = try await registry.select(.everyone, in: segment) } == .notReady)
        let obstacles = await member.environment.health.obstacles()
        #expect(obstacles.contains { $0.contains("run carillon rebuild") })
    }

    /// Goal: another process applies what a process appended before it was killed. Method: a process without a
    /// projector registers a device and is killed once the record is in the log; then another process's projector runs.
    @Test func whatAKilledProcessAppendedIsApplied() async throws {
        let harness = try await HarnessFixture()
        let member = try await harness.member()
        try await member.store.initialize()
        let watcher = try await member.bus.makeConsumer(
            ConsumerOptions(channel: Topics.registry.channel, group: "watcher"))
        var environment = ["CARILLON_BUS": harness.kafka.url, "PROBE_REDIS": harness.redis.url]
        environment["CARILLON_ADMIN_PORT"] = "0"
        environment["PROBE_TOKEN"] = try Samples.token(7).text
        let probe = try ChildProcess(builtExecutable("RegistryProbe"), arguments: [], environment: environment)
        let delivery = try #require(await watcher.next())
        let record = try RegistryRecord(try #require(delivery.messages.first))
        probe.signal(9)
        #expect(await probe.end() == .signalled(9))

        let probed = try AppID("probe")
        #expect(try await member.store.device(of: try Samples.token(7), in: probed) == nil)
        try await member.run {
            // A commit after it in the log returns once both are applied.
            let behind = DeviceIndex(segment: record.change.index.segment, offset: 4_095)
            try await member.log.journal.commit([RegistryChange(app: probed, index: behind, .badge(1))])
            let again = try await member.registry.register(try Samples.token(7), changes: DeviceChanges(), in: probed)
            #expect(!again.isNew && again.registered.id.index == record.change.index)
            #expect(again.registered.device.language == "de")
        }
        await watcher.close()
        await member.close()
    }

    /// Goal: two devices that had the same token one after the other, in segments of different partitions, become one,
    /// in either partition order. Method: their records are applied in both orders, with equal timestamps.
    @Test(arguments: [false, true])
    func aTokenThatMovedHasOneDevice(reversed: Bool) async throws {
        let harness = try await HarnessFixture()
        let member = try await harness.member()
        let token = try Samples.token(9)
        var records: [RegistryChange] = []
        for (segment, created) in [(4, 1_000), (3, 1_000)] as [(UInt32, UInt32)] {
            let device = Device(tag: segment, token: token, created: created)
            records.append(
                RegistryChange(
                    app: app, index: DeviceIndex(segment: SegmentNumber(rawValue: segment), offset: 5), .device(device))
            )
        }
        let removal = RegistryChange(app: app, index: records[0].index, .device(nil))
        let order = reversed ? [records[1], records[0], removal] : [records[0], records[1], removal]
        let refill = try await member.store.beginRebuild()
        for (offset, change) in order.enumerated() {
            try await refill.apply([LoggedChange(offset: Int64(offset), change)])
        }
        try await refill.finish()
        #expect(try await member.store.device(of: token, in: app)?.index == records[1].index)
        #expect(try await member.store.size(of: .everyone, in: app) == 1)
        await member.close()
    }

    /// Goal: on a real store too, only the rebuild that began last applies and finishes.
    @Test func aLaterRebuildTakesOver() async throws {
        let harness = try await HarnessFixture()
        let member = try await harness.member()
        let change = LoggedChange(
            offset: 0, RegistryChange(app: app, index: DeviceIndex(rawValue: 1), .badge(1)))
        let early = try await member.store.beginRebuild()
        try await early.apply([change])
        let late = try await (try await harness.member()).store.beginRebuild()
        for refused in [
            { try await early.apply([change]) }, { try await early.finish() },
            { try await member.store.apply([change]) },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: StoreError.self) { try await refused() }
            #expect(error?.code == .notReady)
        }
        #expect(try await member.store.state() == .rebuilding)
        try await late.apply([change])
        try await late.finish()
        #expect(try await member.store.state() == .ready)
        try await member.store.apply([change])
        await member.close()
    }
}
