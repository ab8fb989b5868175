import PushModel
import RedisClient
import RedisStore
import ServiceKit
import Store
import TestSupport
import Testing

/// The indices of transfers stay bounded, whatever becomes of the requests.
@Suite struct TransferIndexTests {
    /// Refuses every commit, as a bus that is down.
    private struct BrokenJournal: RegistryJournal {
        func commit(_ changes: [RegistryChange]) async throws(StoreError) {
            throw StoreError(.unavailable, message: "down")
        }
    }

    private func transfer(_ id: UInt64, client: Int64?, at time: ManualTimeSource) -> Transfer {
        Transfer(
            id: id, group: 1, clientID: client, tag: "t", created: time.now,
            fingerprint: [UInt8](repeating: 0, count: TransferBounds.fingerprintBytes))
    }

    @Test func abandonedReservationsEnd() async throws {
        let fixture = try await RegistryFixture()
        let registry = try await fixture.registry()
        let broken = registry.writing(through: BrokenJournal())
        let app = try AppID("app")
        for id: UInt64 in 1...3 {
            await #expect(throws: StoreError.self) {
                try await broken.reserve(transfer(id, client: Int64(id), at: fixture.time), in: app)
            }
        }
        #expect(try await fixture.command("HLEN", "transfer-clients:{app:0}").integer == 3)
        #expect(try await fixture.command("EXISTS", "transfers:{app:0}").integer == 0)
        fixture.time.advance(by: TransferBounds.retention + .milliseconds(1))
        let next = transfer(9, client: 9, at: fixture.time)
        #expect(try await registry.reserve(next, in: app) == next)
        #expect(try await fixture.command("HKEYS", "transfer-clients:{app:0}").array?.compactMap(\.string) == ["1:9"])
        #expect(
            try await fixture.command("ZRANGE", "transfer-times:{app:0}", "0", "-1").array?.compactMap(\.string)
                == ["9:1:9"])
    }

    /// Adds times of transfers, in scripts that end within a command's deadline.
    private func fill(_ fixture: RegistryFixture, from first: Int, through last: Int) async throws {
        let script = "for i = ARGV[1], ARGV[2] do redis.call('ZADD', KEYS[1], ARGV[3], i) end"
        for start in stride(from: first, through: last, by: 10_000) {
            _ = try await fixture.command(
                "EVAL", script, "1", "transfer-times:{app:0}", "\(start)", "\(min(start + 9_999, last))",
                "\(fixture.time.now.milliseconds)")
        }
    }

    @Test func anAppHasAMaximumOfTransfers() async throws {
        let fixture = try await RegistryFixture()
        let registry = try await fixture.registry()
        let app = try AppID("app")
        let first = transfer(1, client: 1, at: fixture.time)
        #expect(try await registry.reserve(first, in: app) == first)
        try await fill(fixture, from: 2, through: TransferBounds.countMaximum)
        let error = await #expect(throws: StoreError.self) {
            try await registry.reserve(transfer(2, client: 2, at: fixture.time), in: app)
        }
        #expect(error?.code == .tooMany)
        #expect(try await registry.reserve(transfer(3, client: 1, at: fixture.time), in: app) == first)
        fixture.time.advance(by: TransferBounds.retention + .milliseconds(1))
        let next = transfer(2, client: 2, at: fixture.time)
        #expect(try await registry.reserve(next, in: app) == next)
    }

    @Test func aTransferThatCannotBeReadIsAnError() async throws {
        let fixture = try await RegistryFixture()
        let registry = try await fixture.registry()
        let app = try AppID("app")
        _ = try await registry.reserve(transfer(1, client: 1, at: fixture.time), in: app)
        _ = try await fixture.command("HSET", "transfers:{app:0}", "1", "0 1 1 0 x")
        let error = await #expect(throws: StoreError.self) { try await registry.transfer(1, in: app) }
        #expect(error?.code == .corrupt)
        _ = try await registry.save(TransferGroup(id: 3, name: "n", rate: 100), in: app)
        _ = try await fixture.command("HSET", "groups:{app:0}", "3", "x")
        let other = await #expect(throws: StoreError.self) { try await registry.groups(in: app) }
        #expect(other?.code == .corrupt)
    }
}
