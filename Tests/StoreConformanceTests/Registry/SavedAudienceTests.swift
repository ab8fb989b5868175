import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct SavedAudienceTests {
    private let vip: AudienceName
    private let all: AudienceName

    init() throws {
        vip = try AudienceName("vip")
        all = try AudienceName("all-devices")
    }

    @Test(arguments: StoreKind.allCases)
    func anAudienceIsKeptUnderItsName(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            #expect(try await registry.audienceNames(in: app).isEmpty)
            #expect(try await registry.audiences([vip], in: app).isEmpty)
            try await registry.removeAudience(vip, in: app)
            try await registry.save([1, 2, 0, 255], as: vip, in: app)
            try await registry.save([3], as: all, in: app)
            #expect(try await registry.audienceNames(in: app) == [all, vip])
            #expect(try await registry.audiences([vip, try AudienceName("x")], in: app) == [vip: [1, 2, 0, 255]])
            try await registry.save([4], as: vip, in: app)
            try await registry.removeAudience(all, in: app)
            #expect(try await registry.audiences([vip, all], in: app) == [vip: [4]])
            #expect(try await registry.audiences([vip], in: AppID("another")).isEmpty)
            // Devices come and go as before.
            let id = try await registry.register(Samples.token(1), changes: DeviceChanges(), in: app).registered.id
            #expect(try await registry.size(of: .everyone, in: app) == 1)
            _ = try await registry.remove(id, in: app)
            #expect(try await registry.audienceNames(in: app) == [vip])
        }
    }

    /// Goal: with the log, audiences are in it, and a registry filled from what compaction leaves has them. Records
    /// that come again change nothing.
    @Test(arguments: StoreKind.unwrapped)
    func audiencesSurviveInTheLog(kind: StoreKind) async throws {
        try await kind.withRegistry(.own) { registry, fixture in
            let app = fixture.app
            let log = TestLog(projection: registry)
            let client = try await fixture.client(journal: log)
            for definition: [UInt8] in [[1], [2]] { try await client.save(definition, as: vip, in: app) }
            try await client.save([3], as: all, in: app)
            let id = try await client.register(Samples.token(1), changes: DeviceChanges(), in: app).registered.id
            try await client.removeAudience(all, in: app)
            #expect(try await registry.audiences([vip, all], in: app) == [vip: [2]])
            try await registry.apply(Array(log.changes.prefix(3)))
            #expect(try await registry.audiences([vip, all], in: app) == [vip: [2]])

            let refill = try await registry.beginRebuild()
            try await refill.apply(log.compacted)
            try await refill.finish()
            #expect(try await registry.audienceNames(in: app) == [vip])
            #expect(try await registry.audiences([vip], in: app) == [vip: [2]])
            #expect(try await registry.device(id, in: app) != nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func audiencesHaveBounds(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let large = [UInt8](repeating: 1, count: SavedAudienceBounds.bytesMaximum + 1)
            let error = await #expect(throws: StoreError.self) { try await registry.save(large, as: vip, in: app) }
            #expect(error?.code == .tooMany)
            try await registry.save(Array(large.dropLast()), as: vip, in: app)
            let others = try (1..<SavedAudienceBounds.countMaximum).map { try AudienceName("a\($0)") }
            _ = try await others.concurrentMap(atOnce: 8) { try await registry.save([1], as: $0, in: app) }
            let next = await #expect(throws: StoreError.self) { try await registry.save([1], as: all, in: app) }
            #expect(next?.code == .tooMany)
            try await registry.save([1], as: vip, in: app)
            try await registry.removeAudience(vip, in: app)
            try await registry.save([1], as: all, in: app)
            #expect(try await registry.audienceNames(in: app).count == SavedAudienceBounds.countMaximum)
        }
    }
}
