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

/// Where started activities get their updates from: the real connections, with a store in memory.
@Suite(.timeLimit(.minutes(3))) struct ChannelFeedTests {
    private static let delivered = Array(repeating: PushOutcome.answered(.delivered), count: 3)

    @Test func thePhonesOfAnActivityShareAChannel() async throws {
        let fixture = try await ChannelFixture()
        try await fixture.begin()
        async let other = fixture.start()
        let outcomes = try await [fixture.start(), other]
        #expect(outcomes == [Self.delivered, Self.delivered])
        #expect(fixture.apple.channels == ["channel1="])
        #expect(fixture.apple.feeds == Array(repeating: "channel1=", count: 6))
        #expect(
            try fixture.sender.channels.channel(of: fixture.place, in: fixture.space)
                == .open(PushToken(.channel, text: "channel1=")))
        // The other environment has channels of its own.
        #expect(try await fixture.start(isSandbox: true) == Self.delivered)
        #expect(fixture.apple.channels == ["channel1=", "channel2="])
        await fixture.close()
    }

    @Test(arguments: ["FeatureNotEnabled", "TopicDisallowed", "BadRequestParams"])
    func withoutChannelsPhonesGetTokens(reason: String) async throws {
        let fixture = try await ChannelFixture()
        try await fixture.begin()
        fixture.apple.state.change { $0.refusal = .refused(400, reason: reason) }
        #expect(try await fixture.start() == Self.delivered)
        #expect(fixture.apple.feeds == ["", "", ""])
        // For good: phones with a token and phones with a channel would not be told apart otherwise.
        fixture.apple.state.change { $0.refusal = nil }
        let second = try await ChannelFixture(registry: fixture.sender.channels, apple: fixture.apple)
        try await second.begin()
        #expect(try await second.start() == Self.delivered)
        #expect(fixture.apple.feeds == Array(repeating: "", count: 6))
        #expect(fixture.apple.made == 0)
        await second.sender.end()
        await fixture.close()
    }

    @Test func startsWaitWhileAppleDoesNotAnswer() async throws {
        let fixture = try await ChannelFixture()
        try await fixture.begin()
        fixture.apple.state.change { $0.refusal = .refused(503, reason: "Service Unavailable") }
        #expect(try await fixture.start().allSatisfy(\.isHeldBack))
        // Apple is left alone for a while.
        fixture.apple.state.change { $0.refusal = nil }
        #expect(try await fixture.start().allSatisfy(\.isHeldBack))
        #expect(fixture.apple.made == 0 && fixture.apple.feeds.isEmpty)
        await fixture.close()
    }

    @Test func refusedCredentialsHaltTheApp() async throws {
        let fixture = try await ChannelFixture()
        try await fixture.begin()
        fixture.apple.state.change { $0.refusal = .refused(403, reason: "TopicMismatch") }
        let answer = ProviderAnswer(.misconfigured, reason: "TopicMismatch", status: 403)
        #expect(try await fixture.start(1) == [.answered(answer)])
        #expect(try fixture.sender.channels.channels(in: fixture.space).isEmpty)
        await fixture.close()
    }

    /// Goal: two senders make one channel. Method: the second one begins while the first has reserved it.
    @Test func ofTwoSendersOneMakesTheChannel() async throws {
        let fixture = try await ChannelFixture()
        try await fixture.begin()
        let registry = fixture.sender.channels
        #expect(try registry.reserve(fixture.place, for: .seconds(600), in: fixture.space))
        #expect(try await fixture.start().allSatisfy(\.isHeldBack))
        #expect(fixture.apple.made == 0)
        // The other one has stored its channel.
        let stored = ActivityChannel.open(try PushToken(.channel, text: "b3RoZXI="))
        #expect(try registry.replace(nil, by: stored, of: fixture.place, in: fixture.space))
        #expect(try await fixture.start() == Self.delivered)
        #expect(fixture.apple.feeds == Array(repeating: "b3RoZXI=", count: 3) && fixture.apple.made == 0)
        await fixture.close()
    }

    @Test func sendersAtOnceMakeOneChannel() async throws {
        let first = try await ChannelFixture()
        try await first.begin()
        let gateways = try await withThrowingTaskGroup(of: ChannelFixture.self) { group in
            for _ in 0..<4 {
                group.addTask { try await ChannelFixture(registry: first.sender.channels, apple: first.apple) }
            }
            return try await group.reduce(into: [first]) { $0.append($1) }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for fixture in gateways {
                group.addTask { try await waitUntil { try await fixture.start(1) == [.answered(.delivered)] } }
            }
            try await group.waitForAll()
        }
        #expect(first.apple.made == 1 && Set(first.apple.feeds) == ["channel1="])
        for fixture in gateways.dropFirst() { await fixture.sender.end() }
        await first.close()
    }

    @Test func afterALossTheActivityKnowsItsChannel() async throws {
        let fixture = try await ChannelFixture()
        var base = ActivityBase()
        base.channels = [.production: "a2VwdA=="]
        try await fixture.begin(base: base)
        #expect(try await fixture.start() == Self.delivered)
        #expect(fixture.apple.feeds == Array(repeating: "a2VwdA==", count: 3) && fixture.apple.made == 0)
        await fixture.close()
    }

    /// Goal: phones that start the activity after its channel was deleted get its updates. Method: the channel is deleted
    /// at Apple, as by another system; a broadcast finds that out.
    @Test func phonesOfALostChannelAreFollowedByTokens() async throws {
        let fixture = try await ChannelFixture()
        try await fixture.begin()
        #expect(try await fixture.start() == Self.delivered)
        let channel = try PushToken(.channel, text: "channel1=")
        #expect(try await fixture.broadcast(on: channel) == [.answered(.delivered)])
        #expect(try fixture.sender.channels.channel(of: fixture.place, in: fixture.space) == .open(channel))
        fixture.apple.state.change { $0.channels = [] }
        #expect(try await fixture.broadcast(on: channel).map(\.reason) == ["ChannelNotRegistered"])
        #expect(try fixture.sender.channels.channel(of: fixture.place, in: fixture.space) == .refused)
        #expect(try await fixture.start() == Self.delivered)
        #expect(fixture.apple.feeds.suffix(3) == ["", "", ""] && fixture.apple.made == 1)
        await fixture.close()
    }

    @Test func withoutTheRegistryStartsWait() async throws {
        let fixture = try await ChannelFixture()
        try await fixture.begin()
        _ = fixture.sender.channels.beginRebuild()
        #expect(try await fixture.start().allSatisfy(\.isHeldBack))
        #expect(fixture.apple.made == 0)
        await fixture.close()
    }

    /// With no room at Apple, channels of ended activities are deleted before phones get tokens for it.
    @Test(arguments: [true, false]) func theLimitOfChannelsMakesRoom(hasEnded: Bool) async throws {
        let fixture = try await ChannelFixture()
        try await fixture.begin()
        let old = try ActivityID("old")
        try await fixture.begin(old, ended: hasEnded ? fixture.sender.time.now + .seconds(-5 * 3_600) : nil)
        fixture.apple.state.change { state in
            state.channels = ["b2xk"]
            state.room = 1
        }
        let channel = ActivityChannel.open(try PushToken(.channel, text: "b2xk"))
        #expect(
            try fixture.sender.channels.replace(
                nil, by: channel, of: ChannelPlace(old, in: .production), in: fixture.space))
        #expect(try await fixture.start().allSatisfy(\.isHeldBack))
        if hasEnded { try await waitUntil { fixture.apple.channels.isEmpty } }
        try await waitUntil { try await fixture.start() == Self.delivered }
        #expect(fixture.apple.channels == [hasEnded ? "channel1=" : "b2xk"])
        #expect(Set(fixture.apple.feeds) == [hasEnded ? "channel1=" : ""])
        await fixture.close()
    }
}
