import MemoryStore
import PushModel
import RedisStore
import ServiceKit
import Store
import TestSupport
import Testing

/// One suite for every store: what the opens of users teach.
@Suite(.timeLimit(.minutes(5))) struct UserOpensTests {
    private static let zone = "Europe/Helsinki"
    private static let campaign = CampaignDigest(of: "spring")

    private func run(_ kind: StoreKind, _ body: (any UserOpens, AppID) async throws -> Void) async throws {
        try await kind.withFixture { fixture in
            let opens: any UserOpens = try fixture.store(
                memory: { _ in MemoryUserOpens() }, redis: { connection, _ in RedisUserOpens(connection) })
            try await body(opens, fixture.app)
        }
    }

    private func open(_ user: UserKey, hour: UInt8, in opens: any UserOpens) async throws -> Bool {
        try await opens.update(user) { record in
            var next = record ?? OpenRecord(zone: Self.zone)
            next.noteOpen(of: Self.campaign, hour: hour, in: Self.zone)
            record = next
        }
    }

    @Test(arguments: StoreKind.unwrapped)
    func aRecordIsKeptForEachUser(_ kind: StoreKind) async throws {
        try await run(kind) { opens, app in
            let (ada, eve) = (
                UserKey(try Samples.user("ada"), of: app), UserKey(try Samples.user("ada"), of: Samples.freshApp())
            )
            #expect(try await opens.record(of: ada) == nil)
            #expect(try await open(ada, hour: 7, in: opens))
            #expect(try await open(ada, hour: 7, in: opens))
            #expect(try await open(ada, hour: 22, in: opens))
            let record = try #require(try await opens.record(of: ada))
            #expect(record.zone == Self.zone && record.cells.map(\.hour) == [7, 22])
            #expect(record.cells.map(\.opens) == [2, 1])
            // The same name in another app is another user.
            #expect(try await opens.record(of: eve) == nil)
            #expect(try await open(eve, hour: 3, in: opens))
            try await opens.forget(ada)
            #expect(try await opens.record(of: ada) == nil)
            #expect(try await opens.record(of: eve)?.cells.map(\.hour) == [3])
        }
    }

    @Test(arguments: StoreKind.unwrapped)
    func aUserWithoutOpensHasNoRecord(_ kind: StoreKind) async throws {
        try await run(kind) { opens, app in
            let ada = UserKey(try Samples.user("ada"), of: app)
            #expect(try await !opens.update(ada) { $0?.noteDelivery(of: Self.campaign, hour: 7) })
            #expect(try await !opens.update(ada) { $0 = OpenRecord(zone: Self.zone) })
            #expect(try await opens.record(of: ada) == nil)
            #expect(try await open(ada, hour: 7, in: opens))
            #expect(try await opens.update(ada) { $0?.noteDelivery(of: Self.campaign, hour: 7) })
            #expect(try await opens.record(of: ada)?.cells.map(\.deliveries) == [2])
            #expect(try await !opens.update(ada) { _ in })
            #expect(try await opens.update(ada) { $0 = OpenRecord(zone: Self.zone) })
            #expect(try await opens.record(of: ada) == nil)
        }
    }

    /// Goal: changes of one user at the same time, of several processes, are all made.
    @Test(arguments: StoreKind.unwrapped)
    func changesAtTheSameTimeAreAllMade(_ kind: StoreKind) async throws {
        try await kind.withFixture { fixture in
            let memory = MemoryUserOpens()
            let ada = UserKey(try Samples.user("ada"), of: fixture.app)
            var stores: [any UserOpens] = []
            for _ in 0..<8 {
                stores.append(
                    try fixture.store(memory: { _ in memory }, redis: { connection, _ in RedisUserOpens(connection) }))
            }
            for _ in 0..<4 {
                let made = try await stores.concurrentMap(atOnce: 8) { try await open(ada, hour: 7, in: $0) }
                #expect(!made.contains(false))
            }
            #expect(try await stores[0].record(of: ada)?.cells.map(\.opens) == [32])
        }
    }
}
