import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct RegistryMaintenanceTests {
    /// Goal: a registry that is being filled must not be taken for an empty one.
    @Test(arguments: StoreKind.unwrapped)
    func aRegistryThatIsNotWholeSaysSo(kind: StoreKind) async throws {
        try await kind.withRegistry(.own) { registry, fixture in
            let app = fixture.app
            let other = try await fixture.client()
            #expect(try await registry.state() == .ready)
            let id = try await registry.register(Samples.token(1), changes: DeviceChanges(), in: app).registered.id
            _ = try await other.size(of: .everyone, in: app)
            let refill = try await registry.beginRebuild()
            for client in [registry, other] {
                #expect(try await client.state() == .rebuilding)
                await expectNotReady(client, app: app, id: id)
            }
            try await refill.finish()
            for client in [registry, other] {
                #expect(try await client.state() == .ready)
                #expect(try await client.device(id, in: app) == nil)
                #expect(try await client.size(of: .everyone, in: app) == 0)
            }
            try await refill.finish()
            #expect(try await other.state() == .ready)
            #expect(try await other.register(Samples.token(1), changes: DeviceChanges(), in: app).isNew)
        }
    }

    private func expectNotReady(_ registry: any TestedRegistry, app: AppID, id: DeviceID) async {
        let operations: [() async throws -> Void] = [
            { _ = try await registry.register(Samples.token(2), changes: DeviceChanges(), in: app) },
            { _ = try await registry.device(id, in: app) },
            { _ = try await registry.change(id, changes: DeviceChanges(), in: app) },
            { _ = try await registry.remove(id, in: app) },
            { _ = try await registry.subscriptions(of: id, in: app) },
            { _ = try await registry.subscribe(id, to: Samples.topic(1), options: [], in: app) },
            { _ = try await registry.unsubscribe(id, from: Samples.topic(1), in: app) },
            { _ = try await registry.setSubscriptions(of: id, to: [:], in: app) },
            { _ = try await registry.purge(Samples.topic(1), in: app) },
            { _ = try await registry.devices(of: Samples.user("anna"), in: app) },
            { _ = try await registry.device(of: Samples.token(1), in: app) },
            { _ = try await registry.countFailure(of: id, limit: 3, in: app) },
            { try await registry.forgetFailures(of: [id], in: app) },
            { _ = try await registry.segments(of: .everyone, in: app) },
            { _ = try await registry.select(.everyone, in: SegmentID(app, number: id.index.segment)) },
            { _ = try await registry.devices(at: SegmentSet([0]), in: SegmentID(app, number: id.index.segment)) },
            { _ = try await registry.size(of: .everyone, in: app) },
        ]
        for operation in operations { await expectError(.notReady) { try await operation() } }
    }

    /// Goal: an interrupted rebuild starts over from the first offset.
    @Test(arguments: StoreKind.unwrapped)
    func aBeginAfterABeginStartsOver(kind: StoreKind) async throws {
        try await kind.withRegistry(.own) { registry, fixture in
            let app = fixture.app
            let segment = SegmentID(app, number: SegmentNumber(rawValue: 0))
            let first = try await registry.beginRebuild()
            let gone = RegistryChange(app: app, index: DeviceIndex(rawValue: 1), .device(try Samples.device(1)))
            try await first.project([gone], from: 70)
            let second = try await registry.beginRebuild()
            #expect(try await second.applied(in: [segment]) == [0])
            await expectError(.notReady) { try await first.project([gone], from: 71) }
            let kept = RegistryChange(app: app, index: DeviceIndex(rawValue: 2), .device(try Samples.device(2)))
            try await second.project([kept], from: 5)
            try await second.finish()
            #expect(try await registry.applied(in: [segment]) == [6])
            #expect(try await registry.device(of: Samples.token(1), in: app) == nil)
            #expect(try await registry.device(of: Samples.token(2), in: app)?.index.rawValue == 2)
            #expect(try await registry.size(of: .everyone, in: app) == 1)
        }
    }

    /// Goal: the log alone contains the registry. Method: a registry written through a log is used at random; then its
    /// store is rebuilt from all changes and from a compacted log, and must answer as before.
    @Test(arguments: StoreKind.unwrapped, Dice.seeds)
    func aRegistryIsRebuiltFromItsChanges(kind: StoreKind, seed: UInt64) async throws {
        try await kind.withRegistry(.own) { registry, fixture in
            let log = TestLog(projection: registry)
            var run = try RegistryRun(
                try await fixture.client(journal: log), app: fixture.app, time: fixture.time, seed: seed)
            try await run.perform(300)
            for changes in [log.changes, log.compacted] {
                let refill = try await registry.beginRebuild()
                try await refill.apply(changes)
                try await refill.finish()
                run.model.forgetFailures()
                try await run.compareEverything(registry)
            }
            // Later operations continue as if nothing had happened.
            try await run.perform(100)
            try await run.compareEverything(registry)
        }
    }

    /// Goal: a sweep has no visible effect. Method: compare before and after, and between operations.
    @Test(arguments: StoreKind.allCases, Dice.seeds)
    func aSweepChangesNoAnswer(kind: StoreKind, seed: UInt64) async throws {
        try await kind.withRegistry(.own) { registry, fixture in
            var run = try RegistryRun(registry, app: fixture.app, time: fixture.time, seed: seed)
            for _ in 0..<4 {
                try await run.perform(100)
                fixture.time.advance(by: .seconds(2 * 3_600))
                _ = try await registry.sweep()
                try await run.compareEverything(registry)
            }
            _ = try await registry.sweep()
            let second = try await registry.sweep()
            #expect(second == SweepReport())
        }
    }
}
