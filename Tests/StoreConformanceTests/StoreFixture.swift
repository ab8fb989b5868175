import MemoryStore
import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

/// The stores the suite runs against.
enum Driver: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory
    case redis
    case cluster

    var testDescription: String { rawValue }

    func fixture(_ ownership: Ownership) async throws -> any StoreFixture {
        switch self {
        case .memory: try MemoryFixture()
        case .redis: try await RedisFixture(isCluster: false)
        case .cluster: try await RedisFixture(isCluster: true)
        }
    }

    /// Runs a test with a store and a client, and closes both.
    func withRegistry(
        _ ownership: Ownership = .shared,
        body: (_ registry: any TestedRegistry, _ fixture: any StoreFixture) async throws -> Void
    ) async throws {
        let fixture = try await fixture(ownership)
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await body(try await fixture.client(), fixture))
        } catch {
            outcome = .failure(error)
        }
        await fixture.close()
        try outcome.get()
    }
}

enum Ownership: Sendable {
    /// Other tests may use the store at the same time, with other apps.
    case shared
    /// For tests that change the whole store.
    case own
}

typealias TestedRegistry = Registry & RegistryReader & RegistryProjection & RegistryJournal & RegistryMaintenance

/// A store that contains nothing of the app when the test begins.
protocol StoreFixture: Sendable {
    var app: AppID { get }
    /// The clock of the store's clients.
    var time: ManualTimeSource { get }
    /// A client of the store, independent of other clients.
    func client() async throws -> any TestedRegistry
    /// A client whose changes are applied only by the journal.
    func client(journal: any RegistryJournal) async throws -> any TestedRegistry
    /// Closes the clients, and the store if it is the test's own.
    func close() async
}

struct MemoryFixture: StoreFixture {
    let app: AppID
    let time = ManualTimeSource()
    private let shared: MemoryRegistry

    /// A memory store is cheap, so each test has its own.
    init() throws {
        app = try AppID("memory")
        shared = MemoryRegistry(time: time, random: SystemRandomSource())
    }

    func client() -> any TestedRegistry { shared }
    func client(journal: any RegistryJournal) -> any TestedRegistry { shared.writing(through: journal) }
    func close() {}
}
