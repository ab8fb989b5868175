import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct TopicStatisticsTests {
    private let topic: TopicName
    private let another: TopicName

    init() throws {
        topic = try Samples.topic(1)
        another = try Samples.topic(2)
    }

    private func publication(_ offset: Int64, of topic: TopicName? = nil, at seconds: Int64 = 5) -> TopicPublication {
        TopicPublication(offset: offset, topic: topic ?? self.topic, time: Timestamp(milliseconds: seconds * 1_000))
    }

    private func device(_ number: Int, in registry: any TestedRegistry, app: AppID) async throws -> DeviceID {
        try await registry.register(Samples.token(number), changes: DeviceChanges(), in: app).registered.id
    }

    @Test(arguments: StoreKind.allCases)
    func publicationsAreCountedOnce(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            #expect(try await registry.figures(of: topic, in: app) == nil)
            try await registry.count([publication(0)], from: 0, in: app)
            let id = try await device(1, in: registry, app: app)
            #expect(try await registry.figures(of: topic, in: app) == nil)
            let begun = fixture.time.now
            _ = try await registry.subscribe(id, to: topic, options: [], in: app)
            _ = try await registry.subscribe(id, to: another, options: [], in: app)
            fixture.time.advance(by: .seconds(9))
            let new = try await registry.figures(of: topic, in: app)
            #expect(new?.subscribers == 1 && new?.count.created == begun)
            #expect(new?.count.publications == 0 && new?.count.last == nil)

            try await registry.count(
                [publication(1), publication(2, of: another), publication(4, at: 3)], from: 0, in: app)
            // A delivery again, with a message that follows; one of an owner before, who is slow; another partition.
            try await registry.count([publication(1), publication(4), publication(5, at: 9)], from: 0, in: app)
            try await registry.count([publication(2, of: another), publication(3)], from: 0, in: app)
            try await registry.count([publication(3, at: 7)], from: 1, in: app)
            let figures = try await registry.figures(of: topic, in: app)
            #expect(figures?.count.publications == 4 && figures?.count.created == begun)
            #expect(figures?.count.last == Timestamp(milliseconds: 9_000))
            #expect(try await registry.figures(of: another, in: app)?.count.publications == 1)
            #expect(try await registry.figures(of: topic, in: AppID("stranger")) == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func theLastSubscriberEndsACount(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let ids = try await [device(1, in: registry, app: app), device(2, in: registry, app: app)]
            for id in ids { _ = try await registry.subscribe(id, to: topic, options: [], in: app) }
            try await registry.count([publication(1)], from: 0, in: app)
            #expect(try await registry.unsubscribe(ids[0], from: topic, in: app) == true)
            #expect(try await registry.setSubscriptions(of: ids[0], to: [topic: []], in: app))
            #expect(try await registry.figures(of: topic, in: app)?.count.publications == 1)

            for end in 0..<3 {
                switch end {
                case 0: #expect(try await registry.purge(topic, in: app) == 2)
                case 1: for id in ids { _ = try await registry.unsubscribe(id, from: topic, in: app) }
                default: for id in ids { #expect(try await registry.remove(id, in: app)) }
                }
                #expect(try await registry.figures(of: topic, in: app) == nil)
                try await registry.count([publication(Int64(end) * 2 + 2)], from: 0, in: app)
                fixture.time.advance(by: .seconds(5))
                let id = end < 2 ? ids[0] : try await device(3, in: registry, app: app)
                _ = try await registry.subscribe(id, to: topic, options: [], in: app)
                let begun = try await registry.figures(of: topic, in: app)
                #expect(begun?.count.publications == 0 && begun?.count.created == fixture.time.now, "\(end)")
                try await registry.count([publication(Int64(end) * 2 + 3)], from: 0, in: app)
                #expect(try await registry.figures(of: topic, in: app)?.count.publications == 1)
            }
        }
    }

    /// Goal: of two devices that become the first subscriber at once, in two segments, one begins the count, so that no
    /// publication in between is lost.
    @Test(arguments: StoreKind.allCases)
    func oneCountBeginsAtATime(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let stale = TopicCountChange(previous: nil, count: TopicCount(created: fixture.time.now + .seconds(60)))
            let id = try await device(1, in: registry, app: app)
            _ = try await registry.subscribe(id, to: topic, options: [], in: app)
            try await registry.count([publication(1)], from: 0, in: app)
            try await registry.commit([RegistryChange(app: app, index: RegistryChange.ofApp, .count(topic, stale))])
            #expect(try await registry.figures(of: topic, in: app)?.count.publications == 1)
        }
    }

    /// Goal: a registry that is filled from the log counts what follows the recorded count, once, and nothing that
    /// precedes the first subscriber. Method: the log as compaction leaves it, then all publications from the
    /// beginning.
    @Test(arguments: StoreKind.unwrapped)
    func countsContinueAfterARebuild(kind: StoreKind) async throws {
        try await kind.withRegistry(.own) { registry, fixture in
            let app = fixture.app
            let log = TestLog(projection: registry)
            let client = try await fixture.client(journal: log)
            let id = try await device(1, in: client, app: app)
            _ = try await client.subscribe(id, to: another, options: [], in: app)
            try await client.count([publication(0, of: another), publication(1, of: another)], from: 0, in: app)
            fixture.time.advance(by: .seconds(5))
            let begun = fixture.time.now
            _ = try await client.subscribe(id, to: topic, options: [], in: app)
            try await client.count([publication(2), publication(3)], from: 0, in: app)
            let counted = try #require(try await client.figures(of: topic, in: app)).count
            let recorded = TopicCount(
                created: counted.created, publications: counted.publications, last: counted.last, offsets: [0: 4])
            try await log.commit([
                RegistryChange(
                    app: app, index: RegistryChange.ofApp,
                    .count(topic, TopicCountChange(previous: counted.created, count: recorded)))
            ])
            let refill = try await registry.beginRebuild()
            try await refill.apply(log.compacted)
            let early = [publication(0, of: another), publication(1)]
            try await refill.count(
                early + [publication(2), publication(3), publication(4), publication(5)], from: 0, in: app)
            try await refill.finish()
            let figures = try await registry.figures(of: topic, in: app)
            #expect(figures?.count.publications == 4 && figures?.count.created == begun)
            // A resolver that is behind.
            try await registry.count([publication(4), publication(5), publication(6)], from: 0, in: app)
            #expect(try await registry.figures(of: topic, in: app)?.count.publications == 5)
        }
    }

    @Test func theTextFormIsStrict() throws {
        let count = TopicCount(
            created: Timestamp(milliseconds: 5), publications: 7, last: Timestamp(milliseconds: 9),
            offsets: [11: 3, 2: 40])
        #expect(count.text == "5 7 9 2:40 11:3")
        #expect(TopicCount(text: count.text) == count)
        for text in ["", "5 7", "5 7 x", "-1 0 0", "5 7 9 2", "5 7 9 2:x", "5 7 9 2:-1", "5  7 9"] {
            #expect(TopicCount(text: text) == nil, "\(text)")
        }
    }
}
