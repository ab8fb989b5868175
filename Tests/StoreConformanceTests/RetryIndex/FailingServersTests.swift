import MemoryStore
import PushModel
import RedisStore
import ServiceKit
import Store
import TestSupport
import Testing

/// Servers that senders leave alone, as publishers are shown them, on every store.
@Suite(.timeLimit(.minutes(5))) struct FailingServersTests {
    private let memory = FailingServerBounds.memory

    private func withServers(
        _ kind: StoreKind, body: (any FailingServers, AppID, ManualTimeSource) async throws -> Void
    ) async throws {
        try await kind.withFixture { fixture in
            let servers: any FailingServers = try fixture.store(
                memory: { MemoryFailingServers(time: $0) }, redis: { RedisFailingServers($0, time: $1) })
            try await body(servers, fixture.app, fixture.time)
        }
    }

    @Test(arguments: StoreKind.unwrapped)
    func aServerIsShownUntilItIsRemovedOrForgotten(kind: StoreKind) async throws {
        try await withServers(kind) { servers, app, time in
            #expect(try await servers.read(app) == [:])
            try await servers.note(["a.example:443": .seconds(5), "b.example:80": .seconds(60)], of: app)
            time.advance(by: .seconds(4))
            #expect(try await servers.read(app) == ["a.example:443": .seconds(1), "b.example:80": .seconds(56)])
            time.advance(by: memory)
            #expect(
                try await servers.read(app) == [
                    "a.example:443": .seconds(1) - memory, "b.example:80": .seconds(56) - memory,
                ])
            time.advance(by: .seconds(1))
            #expect(try await servers.read(app) == ["b.example:80": .seconds(55) - memory])
            try await servers.remove(["b.example:80", "unknown.example:80"], of: app)
            try await servers.remove([], of: app)
            #expect(try await servers.read(app) == [:])
        }
    }

    /// Goal: of several senders with different pauses the longest counts. Method: notes in both orders.
    @Test(arguments: StoreKind.unwrapped)
    func theLongestPauseCounts(kind: StoreKind) async throws {
        try await withServers(kind) { servers, app, time in
            try await servers.note(["a.example:443": .seconds(20)], of: app)
            try await servers.note(["a.example:443": .seconds(10)], of: app)
            #expect(try await servers.read(app) == ["a.example:443": .seconds(20)])
            try await servers.note(["a.example:443": .seconds(30)], of: app)
            time.advance(by: .seconds(1))
            #expect(try await servers.read(app) == ["a.example:443": .seconds(29)])
        }
    }

    /// Goal: an app has at most so many servers; those noted first remain, and make room when they end. Method: one
    /// note with two servers too many, a second one, and one after the end of a server.
    @Test(arguments: StoreKind.unwrapped)
    func anAppHasABoundedNumberOfServers(kind: StoreKind) async throws {
        try await withServers(kind) { servers, app, time in
            let maximum = FailingServerBounds.serversMaximum
            let names = (0..<maximum + 2).map { "server-\($0 + 10).example:443" }
            let pauses = names.enumerated().map { ($1, Duration.seconds($0 == 0 ? 1 : 100)) }
            try await servers.note(Dictionary(uniqueKeysWithValues: pauses), of: app)
            #expect(try await servers.read(app).keys.sorted() == Array(names.prefix(maximum)))
            // A known server is noted even now.
            try await servers.note(["a.example:443": .seconds(9), names[1]: .seconds(200)], of: app)
            let full = try await servers.read(app)
            #expect(full.count == maximum && full["a.example:443"] == nil && full[names[1]] == .seconds(200))
            time.advance(by: .seconds(1) + memory)
            try await servers.note(["a.example:443": .seconds(9)], of: app)
            let later = try await servers.read(app)
            #expect(later.count == maximum && later["a.example:443"] == .seconds(9) && later[names[0]] == nil)
        }
    }

    @Test(arguments: StoreKind.unwrapped)
    func anAppHasItsOwnServers(kind: StoreKind) async throws {
        try await withServers(kind) { servers, app, _ in
            let other = Samples.freshApp()
            try await servers.note(["a.example:443": .seconds(5)], of: app)
            #expect(try await servers.read(other) == [:])
            try await servers.remove(["a.example:443"], of: other)
            #expect(try await servers.read(app) == ["a.example:443": .seconds(5)])
        }
    }
}
