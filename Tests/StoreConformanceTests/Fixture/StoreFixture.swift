import PushModel
import RedisClient
import RedisStore
import ServiceKit
import TestSupport

@testable import Simulation

/// What the stores of one test share: an app and a clock of the test's own and, unless they are in memory, a server.
final class StoreFixture: Sendable {
    /// An app that no other test uses.
    let app = Samples.freshApp()
    let time: ManualTimeSource
    /// Kept alive for as long as the test runs; nil if the stores are in memory.
    private let server: (any StoreServer)?
    /// Nil unless the stores are those of the simulation. Nothing fails behind it.
    let seam: Seam?
    private let clients = Monitor<[RedisClient]>([])

    init(
        _ kind: StoreKind, ownership: StoreOwnership = .shared, time: ManualTimeSource = ManualTimeSource()
    ) async throws {
        self.time = time
        server = try await kind.server(ownership)
        seam = kind == .simulated ? Seam.undisturbed() : nil
    }

    /// A new client of the server; nil if the stores are in memory.
    func client() throws -> RedisClient? {
        guard let server else { return nil }
        let client = RedisClient(
            try RedisConfiguration(url: server.url), log: Log(service: "test", level: .error), metrics: Metrics())
        clients.change { $0.append(client) }
        return client
    }

    /// The store of the fixture's kind, with a client of its own.
    func store<Contract>(
        memory: (ManualTimeSource) -> Contract, redis: (StoreConnection, ManualTimeSource) -> Contract,
        simulated: ((ManualTimeSource, Seam) -> Contract)? = nil
    ) throws -> Contract {
        if let seam, let simulated { return simulated(time, seam) }
        guard let client = try client() else { return memory(time) }
        return redis(StoreConnection(client), time)
    }

    func close() async {
        for client in clients.withLock({ $0 }) { await client.close() }
    }
}

extension StoreKind {
    /// Runs a test with a fixture, then closes the fixture's clients.
    func withFixture(
        _ ownership: StoreOwnership = .shared, time: ManualTimeSource = ManualTimeSource(),
        body: (_ fixture: StoreFixture) async throws -> Void
    ) async throws {
        let fixture = try await StoreFixture(self, ownership: ownership, time: time)
        try await withCleanup({ await fixture.close() }) { try await body(fixture) }
    }

    fileprivate func server(_ ownership: StoreOwnership) async throws -> (any StoreServer)? {
        switch (self, ownership) {
        case (.memory, _), (.simulated, _): return nil
        case (.redis, .shared): return try await SharedServers.single.get()
        case (.redis, .own): return try await RedisServer(.forStores)
        case (.cluster, .shared): return try await SharedServers.cluster.get()
        case (.cluster, .own): return try await RedisCluster()
        }
    }
}
