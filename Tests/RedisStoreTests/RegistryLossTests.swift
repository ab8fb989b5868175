import PushModel
import RedisClient
import RedisStore
import Store
import TestSupport
import Testing

/// Lost data must never look like data that never existed.
@Suite struct RegistryLossTests {
    private static let devices = 60

    private struct Scene {
        let registry: RedisRegistry
        let app: AppID
        let ids: [DeviceID]

        func topic(_ number: Int) throws -> TopicName { try TopicName("topic \(number % 20)") }
    }

    private func scene(_ fixture: RegistryFixture) async throws -> Scene {
        let registry = try await fixture.registry()
        let app = try AppID("app")
        var ids: [DeviceID] = []
        for number in 0..<RegistryLossTests.devices {
            let changes = DeviceChanges(aliases: [.externalUser: "user \(number)"])
            let id = try await registry.register(Samples.token(number), changes: changes, in: app).registered.id
            _ = try await registry.subscribe(id, to: TopicName("topic \(number % 20)"), options: [], in: app)
            ids.append(id)
        }
        return Scene(registry: registry, app: app, ids: ids)
    }

    /// Runs every read and every change; each returns the complete result or throws `notReady`.
    private func refusals(_ registry: RedisRegistry, scene: Scene) async throws -> Int {
        let app = scene.app
        var refusals = 0
        func ask(_ what: String, body: () async throws -> Bool) async throws {
            do {
                #expect(try await body(), "\(what) answered as if the data had never existed")
            } catch let error as StoreError {
                #expect(error.code == .notReady, "\(what): \(error)")
                refusals += 1
            }
        }
        for (number, id) in scene.ids.enumerated() {
            let topic = try scene.topic(number)
            try await ask("device") { try await registry.device(id, in: app) != nil }
            try await ask("token") { try await registry.device(of: Samples.token(number), in: app) == id }
            let user = try Alias(.externalUser, value: "user \(number)")
            try await ask("alias") { try await registry.devices(of: user, in: app) == [id] }
            try await ask("subscriptions") { try await registry.subscriptions(of: id, in: app) == [topic: []] }
            try await ask("segments") { try await !registry.segments(of: .topic(topic), in: app).isEmpty }
            try await ask("select") {
                let segment = SegmentID(app, number: id.index.segment)
                return try await registry.select(.topic(topic), in: segment).members.contains(id.index.offset)
            }
            try await ask("size") { try await registry.size(of: .topic(topic), in: app) == 3 }
            try await ask("records") {
                let offsets = SegmentSet([id.index.offset])
                return try await registry.devices(at: offsets, in: SegmentID(app, number: id.index.segment)).count == 1
            }
            try await ask("change") { try await registry.change(id, changes: DeviceChanges(language: "de"), in: app) }
            try await ask("subscribe") { try await registry.subscribe(id, to: topic, options: [], in: app) == .updated }
            try await ask("failure") {
                let task = TaskID(high: 1, low: 1)
                return try await registry.countFailure(of: id, by: task, limit: 1_000, in: app) != .unknownDevice
            }
            try await ask("register") {
                let answer = try await registry.register(Samples.token(number), changes: DeviceChanges(), in: app)
                return !answer.isNew && answer.registered.id == id
            }
        }
        try await ask("everyone") { try await registry.size(of: .everyone, in: app) == RegistryLossTests.devices }
        try await ask("segments of everyone") { try await !registry.segments(of: .everyone, in: app).isEmpty }
        return refusals
    }

    private static let questions = devices * 12 + 2

    @Test func aWipedRedisKnowsThatItIsNotReady() async throws {
        let fixture = try await RegistryFixture()
        let scene = try await scene(fixture)
        _ = try await fixture.command("FLUSHALL")
        #expect(try await refusals(scene.registry, scene: scene) == RegistryLossTests.questions)
        let newcomer = try await fixture.registry(mode: .follower)
        #expect(try await refusals(newcomer, scene: scene) == RegistryLossTests.questions)
        #expect(try await newcomer.state() == .absent)
    }

    /// Each of three servers in turn loses its data; a client with full caches and one with empty caches read.
    @Test(arguments: 0..<3)
    func aServerOfAClusterThatLostItsDataIsNoticed(lost: Int) async throws {
        let cluster = try await RedisCluster()
        let fixture = try RegistryFixture(cluster: cluster)
        let scene = try await scene(fixture)
        let server = try RegistryFixture.client("redis://127.0.0.1:\(cluster.servers[lost].port)")
        _ = try await server.send(.init("FLUSHALL"))
        await server.close()
        #expect(try await refusals(scene.registry, scene: scene) > 0)
        let newcomer = try await fixture.registry(mode: .follower)
        #expect(try await refusals(newcomer, scene: scene) > 0)
    }

    @Test func aRegistryWithoutItsRootIsNoNewOne() async throws {
        let fixture = try await RegistryFixture()
        _ = try await scene(fixture)
        _ = try await fixture.command("DEL", "registry")
        let error = await #expect(throws: StoreError.self) { _ = try await fixture.registry() }
        #expect(error?.code == .notReady)
    }
}
