import PushModel
import RedisClient
import ServiceKit
import Store
import TestSupport
import Testing

@testable import RedisStore

@Suite struct RegistryRebuildTests {
    private func change(
        _ offset: Int64, app: AppID, index: UInt32, content: RegistryChange.Content
    ) -> LoggedChange {
        LoggedChange(offset: offset, RegistryChange(app: app, index: DeviceIndex(rawValue: index), content))
    }

    @Test func aFollowerWaitsForTheRebuild() async throws {
        let fixture = try await RegistryFixture()
        let registry = try await fixture.registry(mode: .follower)
        let app = try AppID("app")
        #expect(try await registry.state() == .absent)
        let before = await #expect(throws: StoreError.self) { try await registry.size(of: .everyone, in: app) }
        #expect(before?.code == .notReady)
        let refill = try await registry.beginRebuild()
        #expect(try await registry.state() == .rebuilding)
        let during = await #expect(throws: StoreError.self) { try await registry.size(of: .everyone, in: app) }
        #expect(during?.code == .notReady)
        try await refill.finish()
        #expect(try await registry.state() == .ready)
        #expect(try await registry.size(of: .everyone, in: app) == 0)
    }

    @Test func aRebuildBeginsEmptyAndLeavesStrangersAlone() async throws {
        let fixture = try await RegistryFixture()
        let registry = try await fixture.registry()
        let app = try AppID("app")
        for number in 0..<300 {
            _ = try await registry.register(Samples.token(number), changes: DeviceChanges(), in: app)
        }
        _ = try await fixture.command("SET", "led:{app:0}:x", "a ledger")
        _ = try await registry.beginRebuild()
        let keys = try await fixture.command("KEYS", "*").array?.compactMap(\.string) ?? []
        #expect(Set(keys) == ["registry", "led:{app:0}:x"])
    }

    /// Goal: a rebuild that is still removing old keys removes none of a rebuild that began after it. Method: the first
    /// is interrupted before it removes anything; its remaining steps are then run with its generation.
    @Test func aRebuildRemovesNothingOfALaterOne() async throws {
        let fixture = try await RegistryFixture()
        let registry = try await fixture.registry(mode: .follower)
        let app = try AppID("app")
        let news = try TopicName("news")
        _ = try await registry.beginRebuild()
        let earlier = try #require(try await fixture.command("HGET", "registry", "generation").string)
        let later = try await registry.beginRebuild()
        try await later.apply([
            change(0, app: app, index: 1, content: .device(try Samples.device(1, user: "anna"))),
            change(1, app: app, index: 1, content: .subscription(news, [])),
            change(2, app: app, index: 1, content: .badge(3)),
        ])
        let keys = try await fixture.command("DBSIZE").integer
        let keyspace = RegistryKeyspace(redis: StoreConnection(fixture.redis))
        try await keyspace.clear(before: RegistryGeneration(id: earlier, isReady: false, aliasBuckets: 1))
        #expect(try await fixture.command("DBSIZE").integer == keys)
        try await later.finish()
        #expect(try await registry.size(of: .topic(news), in: app) == 1)
    }

    /// Goal: a rebuild replaces the registry even if time and random numbers would give it the same generation.
    @Test func aRebuildHasAGenerationOfItsOwn() async throws {
        let fixture = try await RegistryFixture()
        let app = try AppID("app")
        var generations: Set<String> = []
        for number in 0..<3 {
            let registry = try await fixture.registry(random: SeededRandomSource(seed: 1))
            if number > 0 { try await registry.beginRebuild().finish() }
            #expect(try await registry.size(of: .everyone, in: app) == 0)
            _ = try await registry.register(Samples.token(1), changes: DeviceChanges(), in: app)
            let generation = try await fixture.command("HGET", "registry", "generation").string
            generations.insert(try #require(generation))
        }
        #expect(generations.count == 3)
    }

    /// Goal: a process that saw the doubt about a store, and was then held up, leaves the registry that was filled
    /// meanwhile. Method: its last step is run with the generation that it had seen.
    @Test func aRegistryThatWasFilledMeanwhileStaysInUse() async throws {
        let fixture = try await RegistryFixture()
        let registry = try await fixture.registry(mode: .follower)
        try await registry.beginRebuild().finish()
        let seen = try #require(try await registry.root.current())
        try await registry.beginRebuild().finish()
        let filled = try #require(try await registry.root.current())
        _ = try await registry.root.create(.rebuilding, aliasBuckets: 1, existing: .replacedIf(seen))
        #expect(try await registry.root.current()?.id == filled.id)
        #expect(try await registry.state() == .ready)
        _ = try await registry.root.create(.rebuilding, aliasBuckets: 1, existing: .replacedIf(filled))
        #expect(try await registry.state() == .rebuilding)
    }

    /// The log alone refills an empty Redis with the same ids; new registrations get later ids.
    @Test func theLogAloneMakesTheRegistry() async throws {
        let fixture = try await RegistryFixture()
        let registry = try await fixture.registry(mode: .follower)
        let app = try AppID("app")
        let news = try TopicName("news")
        let refill = try await registry.beginRebuild()
        try await refill.apply([
            change(10, app: app, index: 4_096 * 2 + 5, content: .device(try Samples.device(1, user: "anna"))),
            change(11, app: app, index: 4_096 * 2 + 5, content: .subscription(news, [])),
            change(12, app: app, index: 9, content: .subscription(news, .ignoreMessage)),
            change(13, app: app, index: 9, content: .device(try Samples.device(2))),
            change(14, app: app, index: 9, content: .badge(8)),
        ])
        try await refill.finish()
        let first = DeviceID(index: DeviceIndex(rawValue: 4_096 * 2 + 5), tag: try Samples.device(1).tag)
        #expect(try await registry.device(of: Samples.token(1), in: app) == first)
        #expect(try await registry.devices(of: Alias(.externalUser, value: "anna"), in: app) == [first])
        #expect(try await registry.size(of: .topic(news), in: app) == 2)
        let segments = (0..<3).map { SegmentID(app, number: SegmentNumber(rawValue: $0)) }
        #expect(try await registry.applied(in: segments) == [15, 0, 12])
        let known = try await registry.register(Samples.token(2), changes: DeviceChanges(), in: app)
        #expect(!known.isNew && known.registered.id.index.rawValue == 9 && known.registered.badge == 8)
        for number in 10..<50 {
            let index = try await registry.register(Samples.token(number), changes: DeviceChanges(), in: app).registered
                .id.index
            let highest = [0: 9, 2: 5][index.segment.rawValue] ?? -1
            #expect(Int(index.offset) > highest)
        }
        try await RegistryInvariants(fixture: fixture, app: app).check()
    }

    /// Goal: if Redis rejects some of many changes of a segment, later ones do not skip them. Method: the first of more
    /// changes than fit in one script is a badge in a key that is not a hash.
    @Test func whatComesAfterAFailureWaitsForIt() async throws {
        let fixture = try await RegistryFixture()
        let registry = try await fixture.registry()
        let app = try AppID("app")
        let devices = 300
        try await registry.apply([change(0, app: app, index: 0, content: .device(try Samples.device(0)))])
        var changes = [change(1, app: app, index: 0, content: .badge(1))]
        for number in 1..<devices {
            changes.append(
                change(Int64(number) + 1, app: app, index: UInt32(number), content: .device(try Samples.device(number)))
            )
        }
        _ = try await fixture.command("SET", "badge:{app:0}:0", "no hash")
        await #expect(throws: StoreError.self) { try await registry.apply(changes) }
        #expect(try await registry.applied(in: [SegmentID(app, number: SegmentNumber(rawValue: 0))]) == [1])
        _ = try await fixture.command("DEL", "badge:{app:0}:0")
        try await registry.apply(changes)
        #expect(try await registry.size(of: .everyone, in: app) == devices)
    }

    @Test func whatWasAppliedIsPassedOver() async throws {
        let fixture = try await RegistryFixture()
        let registry = try await fixture.registry()
        let app = try AppID("app")
        let changes = [
            change(0, app: app, index: 1, content: .device(try Samples.device(1))),
            change(1, app: app, index: 1, content: .badge(1)),
            change(2, app: app, index: 1, content: .badge(2)),
        ]
        try await registry.apply(changes)
        try await registry.apply(Array(changes[..<2]))
        let id = DeviceID(index: DeviceIndex(rawValue: 1), tag: try Samples.device(1).tag)
        #expect(try await registry.device(id, in: app)?.badge == 2)
    }

    @Test func nothingBringsARemovedDeviceBack() async throws {
        let fixture = try await RegistryFixture()
        let registry = try await fixture.registry()
        let app = try AppID("app")
        let device = try Samples.device(1)
        try await registry.apply([
            change(0, app: app, index: 1, content: .device(device)),
            change(1, app: app, index: 1, content: .device(nil)),
            change(2, app: app, index: 1, content: .device(device)),
        ])
        #expect(try await registry.device(DeviceID(index: DeviceIndex(rawValue: 1), tag: device.tag), in: app) == nil)
        #expect(try await registry.size(of: .everyone, in: app) == 0)
    }

    /// In any order, in one batch or in several: the older of two devices with the same token is removed.
    @Test(arguments: [false, true], [false, true])
    func ofTwoDevicesWithOneTokenTheOlderGoes(olderFirst: Bool, inOneBatch: Bool) async throws {
        let fixture = try await RegistryFixture()
        let registry = try await fixture.registry()
        let app = try AppID("app")
        let older = Device(tag: 1, token: try Samples.token(1), created: 1_000)
        let newer = Device(tag: 2, token: try Samples.token(1), created: 2_000)
        let (early, late): (UInt32, UInt32) = olderFirst ? (0, 1) : (1, 0)
        let changes = [
            change(Int64(early), app: app, index: 5, content: .device(older)),
            change(Int64(late), app: app, index: 4_100, content: .device(newer)),
        ].sorted { $0.offset < $1.offset }
        if inOneBatch {
            try await registry.apply(changes)
        } else {
            for change in changes { try await registry.apply([change]) }
        }
        let kept = DeviceID(index: DeviceIndex(rawValue: 4_100), tag: 2)
        #expect(try await registry.device(of: Samples.token(1), in: app) == kept)
        #expect(try await registry.size(of: .everyone, in: app) == 1)
        try await RegistryInvariants(fixture: fixture, app: app).check()
    }

    /// A client that has cached the old registry writes nothing to the new one.
    @Test func aClientOfTheOldRegistryWaitsForTheNewOne() async throws {
        let fixture = try await RegistryFixture()
        let app = try AppID("app")
        let old = try await fixture.registry()
        let id = try await old.register(Samples.token(1), changes: DeviceChanges(), in: app).registered.id
        let rebuilder = try await fixture.registry(mode: .follower)
        let refill = try await rebuilder.beginRebuild()
        try await refill.apply([change(0, app: app, index: id.index.rawValue, content: .device(try Samples.device(1)))])
        let error = await #expect(throws: StoreError.self) {
            try await old.register(Samples.token(2), changes: DeviceChanges(), in: app)
        }
        #expect(error?.code == .notReady)
        try await refill.finish()
        #expect(try await old.register(Samples.token(2), changes: DeviceChanges(), in: app).isNew)
        try await RegistryInvariants(fixture: fixture, app: app).check()
    }
}
