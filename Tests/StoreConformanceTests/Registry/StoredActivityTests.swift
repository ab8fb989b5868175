import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct StoredActivityTests {
    private func record(_ milliseconds: Int64, _ text: String) -> ActivityRecord {
        ActivityRecord(time: Timestamp(milliseconds: milliseconds), content: Array(text.utf8))
    }

    @Test(arguments: StoreKind.allCases)
    func factsAreKeptApart(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let space = fixture.app.activities
            let order = try ActivityID("order 7 é")
            #expect(try await registry.facts(of: order, in: space) == nil)
            try await registry.save(record(5, "base"), as: ActivityFact(.base, of: order), in: space)
            try await registry.save(record(6, "state"), as: ActivityFact(.state, of: order), in: space)
            try await registry.save(record(7, "end"), as: ActivityFact(.end, of: order), in: space)
            try await registry.save(record(8, "state 2"), as: ActivityFact(.state, of: order), in: space)
            let facts = try await registry.facts(of: order, in: space)
            #expect(
                facts
                    == ActivityFacts(base: record(5, "base"), state: record(8, "state 2"), end: record(7, "end")))
            #expect(try await registry.facts(of: order, in: AppID("another").activities) == nil)
            for fact in ActivityFact.all(of: order).reversed() { try await registry.save(nil, as: fact, in: space) }
            #expect(try await registry.facts(of: order, in: space) == nil)
            #expect(try await registry.activities(after: nil, limit: 10, in: space) == [])
        }
    }

    /// Goal: every activity is on one page, from either end, also those of one moment.
    @Test(arguments: StoreKind.allCases)
    func pagesHaveEachActivityOnce(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let space = fixture.app.activities
            var all: [ActivityPlace] = []
            for number in 0..<25 {
                let place = ActivityPlace(
                    try ActivityID("a\(number)"), time: Timestamp(milliseconds: Int64(1_000 + number / 5)))
                try await registry.save(
                    ActivityRecord(time: place.time, content: [1]), as: ActivityFact(.base, of: place.activity),
                    in: space)
                all.append(place)
            }
            let latest = all.sorted { $0.precedes($1) }
            var (pages, reversed): ([ActivityPlace], [ActivityPlace]) = ([], [])
            for _ in 0..<4 {
                pages += try await registry.activities(after: pages.last, limit: 7, in: space)
                reversed += try await registry.oldest(after: reversed.last, limit: 7, in: space)
            }
            #expect(pages == latest)
            #expect(reversed == latest.reversed())
        }
    }

    /// Goal: of two changes of one clock one fails, and reads what the other wrote.
    @Test(arguments: StoreKind.allCases)
    func aClockIsReplacedIfItIsAsItWasRead(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let space = fixture.app.activities
            let order = try ActivityID("order")
            try await registry.save(record(5, "base"), as: ActivityFact(.base, of: order), in: space)
            let empty = try await registry.clock(of: order, in: space)
            #expect(empty == ActivityClock())
            var (mine, other) = (empty, empty)
            mine.begin(timestamp: 10, at: Timestamp(milliseconds: 10_500))
            other.begin(timestamp: 11, at: Timestamp(milliseconds: 11_500))
            #expect(try await registry.replace(empty, by: mine, of: order, in: space))
            #expect(try await !registry.replace(empty, by: other, of: order, in: space))
            #expect(try await registry.clock(of: order, in: space) == mine)
            #expect(try await registry.replace(mine, by: nil, of: order, in: space))
            #expect(try await registry.clock(of: order, in: space) == ActivityClock())
        }
    }

    /// Goal: tokens of a space are no devices of its app. Method: the same indexes are in use in both.
    @Test(arguments: StoreKind.allCases)
    func aSpaceHasDevicesOfItsOwn(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let token = try PushToken(.liveActivity, text: String(repeating: "ab", count: 80))
            let endpoint = try await registry.register(token, changes: DeviceChanges(), in: fixture.app.activities)
            #expect(try await registry.deviceCount(in: fixture.app) == 0)
            #expect(try await registry.device(endpoint.registered.id, in: fixture.app) == nil)
            #expect(try await registry.device(of: token, in: fixture.app.activities) == endpoint.registered.id)
            #expect(try await registry.device(of: token, in: fixture.app) == nil)
        }
    }
}
