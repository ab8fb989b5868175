import PushModel
import RedisStore
import ServiceKit
import Store
import TestSupport
import Testing

/// Each operation is interrupted before its first command, its second, and so on until it succeeds; then a client with
/// empty caches repeats it. The result and the stored state must be as if nothing had happened.
@Suite struct RegistryInterruptionTests {
    private struct Scene {
        let registry: RedisRegistry
        let app: AppID
    }

    /// `prepare` is not interrupted; `operate` is, and is then repeated without interruption.
    private func cutEverywhere(
        prepare: (Scene) async throws -> DeviceID?, operate: (Scene, DeviceID) async throws -> Void,
        check: (Scene, DeviceID) async throws -> Void
    ) async throws {
        let absent = DeviceID(index: DeviceIndex(rawValue: 0), tag: 0)
        let fixture = try await RegistryFixture()
        for cut in 0..<100 {
            let app = try AppID("app\(cut)")
            let prepared = try await prepare(Scene(registry: try await fixture.registry(), app: app)) ?? absent
            let scissors = Scissors()
            let victim = try await fixture.registry(cutting: scissors)
            scissors.cut(after: cut)
            do {
                try await operate(Scene(registry: victim, app: app), prepared)
            } catch let error as StoreError {
                #expect(error.code == .unavailable)
            }
            let wasCut = scissors.hasCut
            let other = Scene(registry: try await fixture.registry(), app: app)
            try await RegistryInvariants(fixture: fixture, app: app).check()
            try await operate(other, prepared)
            try await check(other, prepared)
            try await RegistryInvariants(fixture: fixture, app: app).check()
            guard wasCut else {
                #expect(cut > 0)
                return
            }
        }
        Issue.record("the operation never completed")
    }

    private let news = try? TopicName("news")
    private let sport = try? TopicName("sport")

    @Test func registering() async throws {
        let user = try Alias(.externalUser, value: "anna")
        try await cutEverywhere { _ in
            nil
        } operate: { (scene, _) async throws in
            let changes = DeviceChanges(language: "de", badge: 3, aliases: [.externalUser: "anna"])
            _ = try await scene.registry.register(Samples.token(1), changes: changes, in: scene.app)
        } check: { (scene, _) async throws in
            let id = try #require(try await scene.registry.device(of: Samples.token(1), in: scene.app))
            let registered = try #require(try await scene.registry.device(id, in: scene.app))
            #expect(registered.device.language == "de")
            #expect(registered.badge == 3)
            #expect(try await scene.registry.devices(of: user, in: scene.app) == [id])
            #expect(try await scene.registry.size(of: .everyone, in: scene.app) == 1)
        }
    }

    @Test func takingOver() async throws {
        let news = try #require(news)
        var device = TakenDevice(token: try Samples.token(1), created: 1_332_953_375, updated: 1_332_953_999)
        device.changes = DeviceChanges(language: "de", badge: 3)
        device.subscriptions = [news: .ignoreMessage]
        let count = TopicCount(created: Timestamp(milliseconds: 1_332_953_375_000), publications: 154)
        try await cutEverywhere { _ in
            nil
        } operate: { [device] (scene, _) async throws in
            try await scene.registry.begin([news: count], in: scene.app)
            _ = try await scene.registry.take([device], in: scene.app)
        } check: { (scene, _) async throws in
            let id = try #require(try await scene.registry.device(of: Samples.token(1), in: scene.app))
            let registered = try #require(try await scene.registry.device(id, in: scene.app))
            #expect(registered.device.created == 1_332_953_375)
            #expect(registered.badge == 3)
            #expect(try await scene.registry.subscriptions(of: id, in: scene.app) == [news: .ignoreMessage])
            #expect(try await scene.registry.figures(of: news, in: scene.app)?.count == count)
            #expect(try await scene.registry.size(of: .everyone, in: scene.app) == 1)
        }
    }

    @Test func registeringWhatWasRemoved() async throws {
        try await cutEverywhere { scene in
            let id = try await scene.registry.register(Samples.token(1), changes: DeviceChanges(), in: scene.app)
                .registered.id
            // As if the removal had been interrupted before the token was released.
            let journal = scene.registry
            try await journal.commit([RegistryChange(app: scene.app, index: id.index, .device(nil))])
            return id
        } operate: { (scene, _) async throws in
            _ = try await scene.registry.register(Samples.token(1), changes: DeviceChanges(), in: scene.app)
        } check: { (scene, old) async throws in
            let id = try #require(try await scene.registry.device(of: Samples.token(1), in: scene.app))
            #expect(id.index != old.index, "no index is allocated twice")
            #expect(try await scene.registry.device(old, in: scene.app) == nil)
        }
    }

    @Test func changing() async throws {
        let (old, new) = (try Alias(.externalUser, value: "anna"), try Alias(.externalUser, value: "berta"))
        try await cutEverywhere { scene in
            let changes = DeviceChanges(aliases: [.externalUser: "anna"])
            return try await scene.registry.register(Samples.token(1), changes: changes, in: scene.app).registered.id
        } operate: { (scene, id) async throws in
            let changes = DeviceChanges(badge: 4, aliases: [.externalUser: "berta"])
            #expect(try await scene.registry.change(id, changes: changes, in: scene.app))
        } check: { (scene, id) async throws in
            #expect(try await scene.registry.devices(of: old, in: scene.app) == [])
            #expect(try await scene.registry.devices(of: new, in: scene.app) == [id])
            #expect(try await scene.registry.device(id, in: scene.app)?.badge == 4)
        }
    }

    @Test func removing() async throws {
        let news = try #require(news)
        let user = try Alias(.externalUser, value: "anna")
        try await cutEverywhere { scene in
            let changes = DeviceChanges(badge: 1, aliases: [.externalUser: "anna"])
            let id = try await scene.registry.register(Samples.token(1), changes: changes, in: scene.app).registered.id
            _ = try await scene.registry.subscribe(id, to: news, options: [], in: scene.app)
            return id
        } operate: { (scene, id) async throws in
            _ = try await scene.registry.remove(id, in: scene.app)
        } check: { (scene, id) async throws in
            #expect(try await scene.registry.device(id, in: scene.app) == nil)
            #expect(try await scene.registry.device(of: Samples.token(1), in: scene.app) == nil)
            #expect(try await scene.registry.devices(of: user, in: scene.app) == [])
            #expect(try await scene.registry.size(of: .topic(news), in: scene.app) == 0)
            let again = try await scene.registry.register(Samples.token(1), changes: DeviceChanges(), in: scene.app)
            #expect(again.isNew && again.registered.id != id)
        }
    }

    @Test func subscribing() async throws {
        let news = try #require(news)
        try await cutEverywhere { scene in
            try await scene.registry.register(Samples.token(1), changes: DeviceChanges(), in: scene.app).registered.id
        } operate: { (scene, id) async throws in
            #expect(try await scene.registry.subscribe(id, to: news, options: .ignoreMessage, in: scene.app) != nil)
        } check: { (scene, id) async throws in
            #expect(try await scene.registry.subscriptions(of: id, in: scene.app) == [news: .ignoreMessage])
            #expect(try await scene.registry.size(of: .topic(news), in: scene.app) == 1)
        }
    }

    @Test func settingSubscriptions() async throws {
        let (news, sport) = (try #require(news), try #require(sport))
        try await cutEverywhere { scene in
            let id = try await scene.registry.register(Samples.token(1), changes: DeviceChanges(), in: scene.app)
                .registered.id
            _ = try await scene.registry.subscribe(id, to: news, options: [], in: scene.app)
            return id
        } operate: { (scene, id) async throws in
            #expect(try await scene.registry.setSubscriptions(of: id, to: [sport: []], in: scene.app))
        } check: { (scene, id) async throws in
            #expect(try await scene.registry.subscriptions(of: id, in: scene.app) == [sport: []])
            #expect(try await scene.registry.size(of: .topic(news), in: scene.app) == 0)
        }
    }

    @Test func purging() async throws {
        let news = try #require(news)
        try await cutEverywhere { scene in
            for number in 1...3 {
                let id = try await scene.registry.register(
                    Samples.token(number), changes: DeviceChanges(), in: scene.app)
                _ = try await scene.registry.subscribe(id.registered.id, to: news, options: [], in: scene.app)
            }
            return nil
        } operate: { (scene, _) async throws in
            _ = try await scene.registry.purge(news, in: scene.app)
        } check: { (scene, _) async throws in
            #expect(try await scene.registry.size(of: .topic(news), in: scene.app) == 0)
        }
    }

    /// From the log: records applied in part are read again from the same offset.
    @Test func applying() async throws {
        let news = try #require(news)
        try await cutEverywhere { _ in
            nil
        } operate: { (scene, _) async throws in
            let index = DeviceIndex(segment: SegmentNumber(rawValue: 2), offset: 7)
            let contents: [RegistryChange.Content] = [
                .subscription(news, .ignoreMessage), .device(try Samples.device(1, user: "anna")), .badge(5),
                .device(try Samples.device(1, updated: 1_700_001_000, user: "berta")),
            ]
            try await scene.registry.apply(
                contents.enumerated().map { position, content in
                    LoggedChange(offset: Int64(position), RegistryChange(app: scene.app, index: index, content))
                })
        } check: { (scene, _) async throws in
            let id = try #require(try await scene.registry.device(of: Samples.token(1), in: scene.app))
            #expect(id.index.rawValue == 2 << 12 + 7)
            #expect(try await scene.registry.device(id, in: scene.app)?.badge == 5)
            #expect(try await scene.registry.devices(of: Alias(.externalUser, value: "berta"), in: scene.app) == [id])
            #expect(try await scene.registry.devices(of: Alias(.externalUser, value: "anna"), in: scene.app) == [])
            #expect(try await scene.registry.size(of: .topic(news), in: scene.app) == 1)
            let segments = try await scene.registry.segments(of: .everyone, in: scene.app)
            #expect(segments.map(\.rawValue) == [0, 1, 2])
            let applied = try await scene.registry.applied(in: [
                SegmentID(scene.app, number: SegmentNumber(rawValue: 2))
            ])
            #expect(applied == [4])
        }
    }
}
