import Apps
import HTTP2
import MemoryStore
import ProviderKit
import PushModel
import ServiceKit
import Store
import TaskModel
import TestSupport
import Testing

@testable import APNsSender

@Suite(.timeLimit(.minutes(3))) struct ChannelSweepTests {
    private func open(_ fixture: ChannelFixture, _ name: String, as channel: ActivityChannel) throws {
        let place = ChannelPlace(try ActivityID(name), in: .production)
        #expect(try fixture.sender.channels.replace(nil, by: channel, of: place, in: fixture.space))
    }

    private func sweeper(_ fixture: ChannelFixture, deletesUnknown: Bool = false) -> ChannelSweeper {
        let (sender, news) = (fixture.sender, app(fixture))
        return ChannelSweeper(
            of: { [news] }, deletesUnknown: deletesUnknown, time: sender.time, log: quietLog, metrics: sender.metrics
        ) { sender.provider.sweep($0, of: $1) }
    }

    private func app(_ fixture: ChannelFixture) -> PushApp {
        var app = PushApp(id: fixture.sender.app)
        app.providers.apns = fixture.sender.credentials
        return app
    }

    /// Goal: only channels of activities that ended long enough ago, or are forgotten, are deleted, also after a sender
    /// died while it deleted one. Method: one channel of each kind.
    @Test func channelsOfEndedActivitiesAreDeleted() async throws {
        let fixture = try await ChannelFixture()
        let now = fixture.sender.time.now
        let ends: [String: Timestamp?] = [
            "running": nil, "ended": now + .seconds(-5 * 3_600), "ending": now + .seconds(-3 * 3_600),
            "cut": now + .seconds(-5 * 3_600),
        ]
        for (name, end) in ends { try await fixture.begin(ActivityID(name), ended: end) }
        for name in ["running", "ended", "ending", "forgotten"] {
            try open(fixture, name, as: .open(PushToken(.channel, text: name)))
        }
        try open(fixture, "cut", as: .closing(PushToken(.channel, text: "cut0")))
        fixture.apple.state.change { $0.channels = ["running", "ended", "ending", "forgotten"] }
        #expect(try await fixture.sweep.deleteEnded() == 3)
        #expect(fixture.apple.channels == ["running", "ending"])
        let left = try fixture.sender.channels.channels(in: fixture.space).keys.map(\.activity.text)
        #expect(Set(left) == ["running", "ending"])
        #expect(try await fixture.sweep.deleteEnded() == 0)
        await fixture.close()
    }

    @Test func aChannelIsKeptWhileAppleRefusesToDeleteIt() async throws {
        let fixture = try await ChannelFixture()
        try open(fixture, "forgotten", as: .open(PushToken(.channel, text: "forgotten")))
        await fixture.apple.server.server.close()
        #expect(try await fixture.sweep.deleteEnded() == 0)
        let place = ChannelPlace(try ActivityID("forgotten"), in: .production)
        #expect(
            try fixture.sender.channels.channel(of: place, in: fixture.space)
                == .closing(PushToken(.channel, text: "forgotten")))
        await fixture.sender.end()
    }

    /// Goal: a channel that was made and not stored, as by a process that was killed in between, is counted, and deleted
    /// in the second look if that is set. Method: Apple makes the channel, and its answer is lost.
    @Test(arguments: [false, true]) func aLeakIsCounted(deletes: Bool) async throws {
        let fixture = try await ChannelFixture()
        try await fixture.begin()
        fixture.apple.state.change { $0.losesAnswers = true }
        #expect(try await fixture.start().allSatisfy(\.isHeldBack))
        #expect(fixture.apple.channels.count == 1)
        let environments = Device.Environment.allCases.count
        let counts = try await fixture.sweep.count(in: .production)
        #expect(counts == ChannelSweep.Count(known: 0, unknown: fixture.apple.channels))
        let sweeper = sweeper(fixture, deletesUnknown: deletes)
        await sweeper.sweepOnce(isCount: true)
        // Both environments of the test are one Apple.
        #expect(fixture.sender.metrics.gauge(.senderChannels, labels: ["kind": "unknown"]).value == environments)
        #expect(fixture.sender.metrics.gauge(.senderChannelsOfAppMax).value == 1)
        #expect(fixture.apple.channels.count == 1)
        await sweeper.sweepOnce(isCount: true)
        #expect(fixture.apple.channels.isEmpty == deletes)
        await fixture.close()
    }

    /// After a loss of the registry only activities know their channels.
    @Test func aChannelOfAnActivityIsNoLeak() async throws {
        let fixture = try await ChannelFixture()
        var base = ActivityBase()
        base.channels = [.production: "a2VwdA=="]
        try await fixture.begin(base: base)
        fixture.apple.state.change { $0.channels = ["a2VwdA=="] }
        await sweeper(fixture, deletesUnknown: true).sweepOnce(isCount: true)
        #expect(
            try fixture.sender.channels.channel(of: fixture.place, in: fixture.space)
                == .open(PushToken(.channel, text: "a2VwdA==")))
        #expect(fixture.sender.metrics.gauge(.senderChannels, labels: ["kind": "known"]).value == 2)
        await fixture.close()
    }

    /// Apple is not asked about apps that never had an activity.
    @Test func appsWithoutActivitiesAreNotAskedAbout() async throws {
        let fixture = try await ChannelFixture()
        await sweeper(fixture).sweepOnce(isCount: true)
        #expect(fixture.apple.server.requests == 0)
        await fixture.close()
    }
}
