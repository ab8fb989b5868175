import MemoryStore
import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

/// Guarantees specific to the in-memory registry.
@Suite(.timeLimit(.minutes(5))) struct MemoryRegistryTests {
    @Test func oneSeedGivesTheSameIds() async throws {
        let app = try AppID("shop")
        func ids(seed: UInt64) async throws -> [DeviceID] {
            let registry = MemoryRegistry(time: ManualTimeSource(), random: SeededRandomSource(seed: seed))
            return try await registry.registerSamples(0..<20, in: app)
        }
        #expect(try await ids(seed: 1) == ids(seed: 1))
        #expect(try await ids(seed: 1) != ids(seed: 2))
    }

    /// Goal: ledger and registry use the same badges, and the badge of a removed device is removed.
    @Test func theLedgerCountsTheRegistrysBadges() async throws {
        let (app, time) = (try AppID("shop"), ManualTimeSource())
        let registry = MemoryRegistry(time: time, random: SeededRandomSource(seed: 1))
        let ledger = MemoryLedger(time: time, badges: registry)
        let id = try await registry.register(Samples.token(1), changes: DeviceChanges(badge: 4), in: app).registered.id
        let (task, segment) = (TaskID(high: 1, low: 2), SegmentID(app, number: id.index.segment))
        let deadline = time.now + .seconds(60)
        _ = try ledger.plan(task, as: Samples.plan(app, until: deadline, isFast: true))
        _ = ledger.mark(SegmentSet([id.index.offset]), of: task, in: segment)
        let request = ClaimRequest(
            id: ClaimID(owner: 1, number: 1), offsets: [id.index.offset], attempt: 0, lease: .seconds(30),
            countsBadge: true)
        #expect(ledger.claim(request, of: task, in: segment) == .answers([.claimed(badge: 5)]))
        #expect(try registry.device(id, in: app)?.badge == 5)
        _ = try await registry.remove(id, in: app)
        let badge = registry.changeBadges(in: segment) { $0[id.index.offset] }
        #expect(badge == nil)
    }
}
