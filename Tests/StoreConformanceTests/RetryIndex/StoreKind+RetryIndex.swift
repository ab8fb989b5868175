import MemoryStore
import RedisStore
import ServiceKit
import Store
import TestSupport

@testable import Simulation

extension StoreKind {
    /// The shards of an index are those of the whole store.
    func withIndex(_ body: (_ index: any RetryIndex, _ time: ManualTimeSource) async throws -> Void) async throws {
        try await withFixture(.own) { fixture in
            let index: any RetryIndex = try fixture.store(
                memory: { MemoryRetryIndex(time: $0) }, redis: { RedisRetryIndex($0, time: $1) },
                simulated: { SimulatedRetryIndex(base: MemoryRetryIndex(time: $0), seam: $1) })
            try await body(index, fixture.time)
        }
    }

    /// A store returns the outages of all routes.
    func withOutages(_ body: (any ProviderOutages, ManualTimeSource) async throws -> Void) async throws {
        try await withFixture(.own) { fixture in
            let outages: any ProviderOutages = try fixture.store(
                memory: { MemoryProviderOutages(time: $0) }, redis: { RedisProviderOutages($0, time: $1) },
                simulated: { SimulatedProviderOutages(base: MemoryProviderOutages(time: $0), seam: $1) })
            try await body(outages, fixture.time)
        }
    }

    func withStarts(_ body: (any MessageStarts) async throws -> Void) async throws {
        try await withFixture { fixture in
            let starts: any MessageStarts = try fixture.store(
                memory: { MemoryMessageStarts(time: $0) }, redis: { connection, _ in RedisMessageStarts(connection) },
                simulated: { SimulatedMessageStarts(base: MemoryMessageStarts(time: $0), seam: $1) })
            try await body(starts)
        }
    }
}

extension RetryEntry {
    /// Due the given time after the start of the clock.
    init(_ number: UInt32, after pause: Duration, of time: ManualTimeSource) {
        let digits = (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32($0 * 8)) }
        // Zero bytes and line breaks must be preserved.
        self.init(due: time.now + pause, order: [0, 13, 10, 255] + digits)
    }
}
