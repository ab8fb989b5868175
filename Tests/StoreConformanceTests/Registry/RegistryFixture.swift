import MemoryStore
import PushModel
import RedisStore
import ServiceKit
import Store
import TestSupport

@testable import Simulation

typealias TestedRegistry = Registry & RegistryReader & RegistryProjection & RegistryJournal & RegistryMaintenance
    & SavedAudiences & TopicStatistics & TransferGroups & Transfers & Activities & ActivityChannels

/// A registry that contains nothing of the fixture's app when the test begins.
struct RegistryFixture: Sendable {
    private let store: StoreFixture
    /// The only client of a store in memory.
    private let memory: MemoryRegistry

    init(_ store: StoreFixture) {
        self.store = store
        memory = MemoryRegistry(time: store.time, random: SystemRandomSource())
    }

    var app: AppID { store.app }
    /// The clock of the registry's clients.
    var time: ManualTimeSource { store.time }

    /// A client of the registry, independent of other clients.
    func client() async throws -> any TestedRegistry {
        guard let registry = try await open() else { return inMemory(memory) }
        return registry
    }

    /// A client whose changes are applied only by the journal.
    func client(journal: any RegistryJournal) async throws -> any TestedRegistry {
        guard let registry = try await open() else { return inMemory(memory.writing(through: journal)) }
        return registry.writing(through: journal)
    }

    private func inMemory(_ registry: MemoryRegistry) -> any TestedRegistry {
        guard let seam = store.seam else { return registry }
        return SimulatedRegistry(base: registry, seam: seam)
    }

    private func open() async throws -> RedisRegistry? {
        guard let client = try store.client() else { return nil }
        let log = Log(service: "test", level: .error)
        return try await RedisRegistry.open(StoreConnection(client), mode: .authoritative, log: log, time: time)
    }
}

extension StoreKind {
    /// Runs a test with a registry and a client of it.
    func withRegistry(
        _ ownership: StoreOwnership = .shared,
        body: (_ registry: any TestedRegistry, _ fixture: RegistryFixture) async throws -> Void
    ) async throws {
        try await withFixture(ownership) { store in
            let fixture = RegistryFixture(store)
            try await body(try await fixture.client(), fixture)
        }
    }
}
