import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct ActivityChannelTests {
    private let production: ChannelPlace
    private let sandbox: ChannelPlace

    init() throws {
        let activity = try ActivityID("match: \u{E9}")
        production = ChannelPlace(activity, in: .production)
        sandbox = ChannelPlace(activity, in: .sandbox)
    }

    private func open(_ id: String) throws -> ActivityChannel { .open(try PushToken(.channel, text: id)) }

    /// A space of activities exists once it has an activity.
    private func begin(_ registry: any TestedRegistry, _ fixture: RegistryFixture) async throws -> AppID {
        let space = fixture.app.activities
        let record = ActivityRecord(time: fixture.time.now, content: [1])
        try await registry.save(record, as: ActivityFact(.base, of: production.activity), in: space)
        return space
    }

    @Test(arguments: StoreKind.allCases)
    func aChannelIsReplacedOnlyAsItWasRead(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let before = try await registry.channels(in: fixture.app.activities)
            #expect(before.isEmpty)
            let space = try await begin(registry, fixture)
            let (first, second) = (try open("Zmlyc3Q="), try open("c2Vjb25k+/=="))
            #expect(try await registry.replace(nil, by: first, of: production, in: space))
            #expect(try await !registry.replace(nil, by: second, of: production, in: space))
            #expect(try await registry.channel(of: production, in: space) == first)
            #expect(try await registry.channel(of: sandbox, in: space) == nil)
            #expect(try await registry.replace(nil, by: .refused, of: sandbox, in: space))
            let closing = ActivityChannel.closing(try #require(first.id))
            #expect(try await registry.replace(first, by: closing, of: production, in: space))
            #expect(try await registry.channels(in: space) == [production: closing, sandbox: .refused])
            #expect(try await !registry.replace(first, by: nil, of: production, in: space))
            #expect(try await registry.replace(closing, by: nil, of: production, in: space))
            #expect(try await registry.channels(in: space) == [sandbox: .refused])
            let elsewhere = try await registry.channels(in: AppID("another").activities)
            #expect(elsewhere.isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func oneCallerMakesAChannel(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let space = try await begin(registry, fixture)
            let other = try await fixture.client()
            #expect(try await registry.reserve(production, for: .seconds(600), in: space))
            #expect(try await !other.reserve(production, for: .seconds(600), in: space))
            #expect(try await other.reserve(sandbox, for: .seconds(600), in: space))
            try await registry.giveBack(production, in: space)
            #expect(try await other.reserve(production, for: .seconds(600), in: space))
        }
    }

    @Test(arguments: ["", "x", "o", "oabc", "o%%%%", "xZmlyc3Q=", "rr"])
    func whatIsNoChannelIsNotRead(text: String) {
        #expect(ActivityChannel(text: text) == nil)
    }

    @Test func placesHaveNames() {
        #expect(ChannelPlace(name: production.name) == production)
        #expect(ChannelPlace(name: sandbox.name) == sandbox)
        for name in ["", "p", "p:", "q:a", "match"] { #expect(ChannelPlace(name: name) == nil) }
    }
}
