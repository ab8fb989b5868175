import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct TransferGroupTests {
    private let news = TransferGroup(id: 9, name: "news", rate: 5_000)
    private let sport = TransferGroup(id: 7, name: "sport", rate: 100)

    @Test(arguments: StoreKind.allCases)
    func aGroupIsKept(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let before = try await registry.groups(in: app)
            #expect(before.isEmpty)
            #expect(try await registry.group(news.id, in: app) == nil)
            for group in [news, sport] { #expect(try await registry.save(group, in: app) == .saved) }
            #expect(try await registry.groups(in: app) == [sport, news])
            #expect(try await registry.group(news.id, in: app) == news)
            let changed = TransferGroup(id: news.id, name: "breaking", rate: 200, isArchived: true)
            #expect(try await registry.save(changed, in: app) == .saved)
            #expect(try await registry.groups(in: app) == [sport, changed])
            #expect(try await registry.groups(in: AppID("another")).isEmpty)
            #expect(try await registry.group(news.id, in: AppID("another")) == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func namesAreUniqueAmongGroupsInUse(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let second = TransferGroup(id: 1, name: "news", rate: 100)
            let verdict = try await registry.save(news, in: app)
            #expect(verdict == .saved)
            #expect(try await registry.save(news, in: app) == .saved, "a repeat")
            #expect(try await registry.save(second, in: app) == .nameTaken)
            var archived = news
            archived.isArchived = true
            #expect(try await registry.save(archived, in: app) == .saved)
            #expect(try await registry.save(second, in: app) == .saved)
            #expect(try await registry.save(news, in: app) == .nameTaken, "restored")
            #expect(try await registry.groups(in: app) == [second, archived])
            // A name that a group gave up is free at once.
            #expect(try await registry.save(TransferGroup(id: 1, name: "old", rate: 100), in: app) == .saved)
            #expect(try await registry.save(news, in: app) == .saved)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func twoEncodingsOfANameAreTwoNames(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
            for (id, name) in [(Int64(1), composed), (2, decomposed)] {
                let group = TransferGroup(id: id, name: name, rate: 100)
                #expect(try await registry.save(group, in: fixture.app) == .saved)
            }
            let names = try await registry.groups(in: fixture.app).map { Array($0.name.utf8) }
            #expect(names == [Array(composed.utf8), Array(decomposed.utf8)])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func oneOfManyCreationsWins(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let (app, clients) = (fixture.app, [registry, try await fixture.client()])
            let verdicts = try await Array(1...20).concurrentMap(atOnce: 20) { number in
                let group = TransferGroup(id: Int64(number), name: "news", rate: 100)
                return try await clients[number % 2].save(group, in: app)
            }
            #expect(verdicts.count { $0 == .saved } == 1)
            #expect(verdicts.count { $0 == .nameTaken } == 19)
            #expect(try await registry.groups(in: app).count == 1)
        }
    }

    /// Goal: with the log, a name is taken before its group is applied.
    @Test(arguments: StoreKind.allCases)
    func aNameIsTakenWhileItsGroupIsOnItsWay(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let journal = HeldJournal(TestLog(projection: registry))
            let client = try await fixture.client(journal: journal)
            async let first = client.save(news, in: app)
            await journal.arrived()
            #expect(try await client.save(TransferGroup(id: 1, name: "news", rate: 100), in: app) == .nameTaken)
            journal.letGo()
            #expect(try await first == .saved)
            #expect(try await registry.groups(in: app) == [news])
        }
    }

    @Test(arguments: StoreKind.unwrapped)
    func groupsSurviveInTheLog(kind: StoreKind) async throws {
        try await kind.withRegistry(.own) { registry, fixture in
            let app = fixture.app
            let log = TestLog(projection: registry)
            let client = try await fixture.client(journal: log)
            var archived = sport
            archived.isArchived = true
            for group in [news, sport, archived] { #expect(try await client.save(group, in: app) == .saved) }
            #expect(try await registry.groups(in: app) == [archived, news])
            let refill = try await registry.beginRebuild()
            try await refill.apply(log.compacted)
            try await refill.finish()
            #expect(try await registry.groups(in: app) == [archived, news])
            #expect(try await client.save(TransferGroup(id: 1, name: "news", rate: 100), in: app) == .nameTaken)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anAppHasAMaximumOfGroups(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let numbers = Array(1...TransferGroupBounds.countMaximum)
            let verdicts = try await numbers.concurrentMap(atOnce: 8) { number in
                let group = TransferGroup(
                    id: Int64(number), name: "group \(number)", rate: 100, isArchived: number == 1)
                return try await registry.save(group, in: app)
            }
            #expect(verdicts.allSatisfy { $0 == .saved })
            let next = TransferGroup(id: 5_000, name: "next", rate: 100)
            #expect(try await registry.save(next, in: app) == .tooMany)
            #expect(try await registry.save(TransferGroup(id: 2, name: "next", rate: 100), in: app) == .saved)
        }
    }
}
