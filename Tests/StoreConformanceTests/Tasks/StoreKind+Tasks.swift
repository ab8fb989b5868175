import MemoryStore
import RedisStore
import ServiceKit
import Store
import TestSupport

@testable import Simulation

extension StoreKind {
    func withArchive(_ body: (_ archive: any TaskArchive, _ time: ManualTimeSource) async throws -> Void) async throws {
        try await withFixture { fixture in
            let archive: any TaskArchive = try fixture.store(
                memory: { _ in MemoryTaskArchive() }, redis: { RedisTaskArchive($0, time: $1) },
                simulated: { _, seam in SimulatedTaskArchive(base: MemoryTaskArchive(), seam: seam) })
            try await body(archive, fixture.time)
        }
    }

    /// An agenda is one for the whole store.
    func withAgenda(_ body: (_ agenda: any TaskAgenda, _ time: ManualTimeSource) async throws -> Void) async throws {
        try await withFixture(.own) { fixture in
            let agenda: any TaskAgenda = try fixture.store(
                memory: { MemoryTaskAgenda(time: $0) }, redis: { RedisTaskAgenda($0, time: $1) },
                simulated: { SimulatedTaskAgenda(base: MemoryTaskAgenda(time: $0), seam: $1) })
            try await body(agenda, fixture.time)
        }
    }

    func withTraces(_ body: (_ traces: any TaskTraces, _ time: ManualTimeSource) async throws -> Void) async throws {
        // Redis expires keys by its own clock.
        try await withFixture(time: ManualTimeSource(now: SystemTimeSource().now)) { fixture in
            let traces: any TaskTraces = try fixture.store(
                memory: { MemoryTaskTraces(time: $0) }, redis: { RedisTaskTraces($0, time: $1) },
                simulated: { SimulatedTaskTraces(base: MemoryTaskTraces(time: $0), seam: $1) })
            try await body(traces, fixture.time)
        }
    }

    func withReceipts(
        _ body: (_ receipts: any TaskReceipts, _ time: ManualTimeSource) async throws -> Void
    ) async throws {
        // Redis expires keys by its own clock.
        try await withFixture(time: ManualTimeSource(now: SystemTimeSource().now)) { fixture in
            let receipts: any TaskReceipts = try fixture.store(
                memory: { MemoryTaskReceipts(time: $0) }, redis: { connection, _ in RedisTaskReceipts(connection) },
                simulated: { SimulatedTaskReceipts(base: MemoryTaskReceipts(time: $0), seam: $1) })
            try await body(receipts, fixture.time)
        }
    }

    func withStatistics(
        time: ManualTimeSource,
        _ body: (_ statistics: any TaskStatistics, _ time: ManualTimeSource) async throws -> Void
    ) async throws {
        try await withFixture(time: time) { fixture in
            let statistics: any TaskStatistics = try fixture.store(
                memory: { MemoryTaskStatistics(time: $0) }, redis: { RedisTaskStatistics($0, time: $1) },
                simulated: { SimulatedTaskStatistics(base: MemoryTaskStatistics(time: $0), seam: $1) })
            try await body(statistics, fixture.time)
        }
    }

    func withDeviceTasks(
        time: ManualTimeSource, _ body: (_ tasks: any DeviceTasks, _ time: ManualTimeSource) async throws -> Void
    ) async throws {
        try await withFixture(time: time) { fixture in
            let tasks: any DeviceTasks = try fixture.store(
                memory: { MemoryDeviceTasks(time: $0) }, redis: { RedisDeviceTasks($0, time: $1) },
                simulated: { SimulatedDeviceTasks(base: MemoryDeviceTasks(time: $0), seam: $1) })
            try await body(tasks, fixture.time)
        }
    }

    func withIdempotencyStore(
        time: ManualTimeSource = ManualTimeSource(),
        _ body: (_ store: any IdempotencyStore, _ time: ManualTimeSource) async throws -> Void
    ) async throws {
        try await withFixture(time: time) { fixture in
            let store: any IdempotencyStore = try fixture.store(
                memory: { MemoryIdempotencyStore(time: $0) }, redis: { RedisIdempotencyStore($0, time: $1) },
                simulated: { SimulatedIdempotencyStore(base: MemoryIdempotencyStore(time: $0), seam: $1) })
            try await body(store, fixture.time)
        }
    }
}
