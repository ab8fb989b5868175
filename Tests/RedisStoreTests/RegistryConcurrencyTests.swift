import PushModel
import RedisClient
import RedisStore
import ServiceKit
import Store
import TestSupport
import Testing

@Suite struct RegistryConcurrencyTests {
    @Test func fiftyRegistrationsOfOneTokenAreOneDevice() async throws {
        let fixture = try await RegistryFixture()
        let registries = [try await fixture.registry(), try await fixture.registry()]
        let app = try AppID("app")
        let answers = try await withThrowingTaskGroup(of: Registration.self) { group in
            for number in 0..<50 {
                group.addTask {
                    try await registries[number % 2].register(Samples.token(1), changes: DeviceChanges(), in: app)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(answers.map(\.registered.id)).count == 1)
        #expect(answers.count { $0.isNew } == 1)
        try await RegistryInvariants(fixture: fixture, app: app).check()
    }

    /// Goal: an app created by another process during a read is not taken for lost. Method: an existing app is renamed
    /// away and restored before the first, second, third command of the read.
    @Test(arguments: 1...6)
    func anAppMayBeMadeWhileItIsAskedAbout(command: Int) async throws {
        let fixture = try await RegistryFixture()
        let app = try AppID("app")
        let id = try await fixture.registry().register(Samples.token(1), changes: DeviceChanges(), in: app).registered
            .id
        _ = try await fixture.command("RENAME", "app:app", "aside")
        _ = try await fixture.command("HDEL", "registry", "app:app")
        let count = Monitor(0)
        let redis = fixture.redis
        let connection = StoreConnection(redis) {
            let number = count.change { count in
                count += 1
                return count
            }
            guard number == command else { return nil }
            _ = redis.wait(RedisCommand("RENAME", "aside", "app:app"))
            _ = redis.wait(RedisCommand("HSET", "registry", "app:app", "1"))
            return nil
        }
        let registry = try await RedisRegistry.open(
            connection, mode: .follower, log: RegistryFixture.log, time: fixture.time)
        _ = try await registry.subscribe(id, to: TopicName("news"), options: [], in: app)
        _ = try await registry.device(of: Samples.token(1), in: app)
        #expect(try await registry.device(id, in: app)?.id == id)
    }

    /// Many devices and topics at the same time, from two processes that both open segments and number topics.
    @Test func everybodyGetsAPlaceOfHisOwn() async throws {
        let fixture = try await RegistryFixture()
        let registries = [try await fixture.registry(), try await fixture.registry()]
        let app = try AppID("app")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                group.addTask {
                    let registry = registries[number % 2]
                    let id = try await registry.register(Samples.token(number), changes: DeviceChanges(), in: app)
                        .registered.id
                    _ = try await registry.subscribe(id, to: TopicName("topic \(number % 7)"), options: [], in: app)
                }
            }
            try await group.waitForAll()
        }
        #expect(try await registries[0].size(of: .everyone, in: app) == 400)
        var members = 0
        for number in 0..<7 {
            members += try await registries[0].size(of: .topic(TopicName("topic \(number)")), in: app)
        }
        #expect(members == 400)
        try await RegistryInvariants(fixture: fixture, app: app).check()
    }
}
