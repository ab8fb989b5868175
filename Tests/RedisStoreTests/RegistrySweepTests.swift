import PushModel
import RedisClient
import RedisStore
import Store
import TestSupport
import Testing

@Suite struct RegistrySweepTests {
    private let hour = Duration.seconds(3_601)

    @Test func removedDevicesAreForgottenAfterAnHour() async throws {
        let fixture = try await RegistryFixture()
        let registry = try await fixture.registry()
        let app = try AppID("app")
        let id = try await registry.register(Samples.token(1), changes: DeviceChanges(), in: app).registered.id
        #expect(try await registry.remove(id, in: app))
        #expect(try await registry.sweep().removedDevices == 0)
        fixture.time.advance(by: hour)
        #expect(try await registry.sweep().removedDevices == 1)
        #expect(try await registry.sweep().removedDevices == 0)
        let segment = SegmentID(app, number: id.index.segment)
        #expect(try await fixture.command("EXISTS", "dev:{\(segment)}:\(id.index.offset / 128)").integer == 0)
    }

    /// A removal is interrupted before the lookup entries of the device are removed; the sweep completes it, and the
    /// index is not allocated again.
    @Test func theSweepEndsARemovalThatWasCutOff() async throws {
        let fixture = try await RegistryFixture()
        let app = try AppID("app")
        let scissors = Scissors()
        let registry = try await fixture.registry(cutting: scissors)
        let changes = DeviceChanges(aliases: [.externalUser: "anna"])
        let id = try await registry.register(Samples.token(1), changes: changes, in: app).registered.id
        scissors.cut(after: 1)
        await #expect(throws: StoreError.self) { try await registry.remove(id, in: app) }
        scissors.cut(after: nil)
        #expect(try await registry.device(id, in: app) == nil)
        fixture.time.advance(by: hour)
        #expect(try await registry.sweep().removedDevices == 1)
        #expect(try await registry.devices(of: Alias(.externalUser, value: "anna"), in: app) == [])
        let again = try await registry.register(Samples.token(1), changes: DeviceChanges(), in: app)
        #expect(again.isNew && again.registered.id.index != id.index)
    }

    @Test func segmentsWithoutMembersLeaveATopicAfterAnHour() async throws {
        let fixture = try await RegistryFixture()
        let registry = try await fixture.registry()
        let app = try AppID("app")
        let (news, sport) = (try TopicName("news"), try TopicName("sport"))
        let id = try await registry.register(Samples.token(1), changes: DeviceChanges(), in: app).registered.id
        _ = try await registry.subscribe(id, to: news, options: [], in: app)
        _ = try await registry.subscribe(id, to: sport, options: [], in: app)
        #expect(try await registry.unsubscribe(id, from: news, in: app) == true)
        #expect(try await registry.sweep().topicEntries == 0)
        fixture.time.advance(by: hour)
        #expect(try await registry.sweep().topicEntries == 1)
        #expect(try await registry.segments(of: .topic(news), in: app) == [])
        #expect(try await registry.segments(of: .topic(sport), in: app).count == 1)
    }

    /// The subscriber has cached that it entered the segment; the sweep of another process removes the entry.
    @Test func whoRemembersAnEntryMakesItAgain() async throws {
        let fixture = try await RegistryFixture()
        let (registry, sweeper) = (try await fixture.registry(), try await fixture.registry())
        let app = try AppID("app")
        let news = try TopicName("news")
        let id = try await registry.register(Samples.token(1), changes: DeviceChanges(), in: app).registered.id
        _ = try await registry.subscribe(id, to: news, options: [], in: app)
        #expect(try await registry.unsubscribe(id, from: news, in: app) == true)
        fixture.time.advance(by: hour)
        #expect(try await sweeper.sweep().topicEntries == 1)
        _ = try await registry.subscribe(id, to: news, options: [], in: app)
        #expect(try await registry.segments(of: .topic(news), in: app) == [id.index.segment])
        #expect(try await sweeper.sweep().topicEntries == 0)
        try await RegistryInvariants(fixture: fixture, app: app).check()
    }

    /// The subscriber enters the segment and is interrupted before it adds itself; it continues after the sweep.
    @Test func aNewEntryStaysWithoutItsDevice() async throws {
        let fixture = try await RegistryFixture()
        let (registry, sweeper) = (try await fixture.registry(), try await fixture.registry())
        let app = try AppID("app")
        let news = try TopicName("news")
        let id = try await registry.register(Samples.token(1), changes: DeviceChanges(), in: app).registered.id
        _ = try await registry.subscribe(id, to: news, options: [], in: app)
        #expect(try await registry.unsubscribe(id, from: news, in: app) == true)
        fixture.time.advance(by: .seconds(599))
        #expect(try await sweeper.sweep().topicEntries == 0)
        _ = try await registry.subscribe(id, to: news, options: [], in: app)
        #expect(try await registry.segments(of: .topic(news), in: app) == [id.index.segment])
    }
}
