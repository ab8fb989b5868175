import JSONKit
import PushModel
import Rendering
import ServiceKit
import TaskModel
import Testing
import Topics

/// Where a phone that starts an activity gets its updates from.
@Suite struct ActivityFeedTests {
    private let channel: PushToken

    init() throws {
        channel = try PushToken(.channel, text: "dGVzdA+/==")
    }

    private func rendering(
        _ event: ActivityEvent = .start, feed: ActivityBase.Feed = .channel, padding: Int = 0
    ) throws -> TaskRendering {
        var task = PushTask(id: RenderedTask.id, app: try AppID("bells"), created: RenderedTask.created)
        task.options.timeToLive = .seconds(3_600)
        var activity = ActivityContent(event, of: try ActivityID("order-7"))
        activity.type = try ActivityType("Order")
        activity.feed = feed
        activity.timestamp = 1_760_000_000
        activity.members = JSONObject([
            ("content-state", .object(JSONObject([("text", .string(String(repeating: "x", count: padding)))])))
        ])
        task.content.activity = activity
        return TaskRendering(task, now: RenderedTask.created)
    }

    private func template(_ rendering: TaskRendering, knowsChannels: Bool) throws -> PayloadTemplate {
        try rendering.variant(rendering.activitySelection(for: .liveActivity, knowsChannels: knowsChannels)).payload
    }

    private func aps(_ template: PayloadTemplate, feed: String = "") throws -> JSON? {
        try JSON(template.payload(token: "", badge: 0, feed: feed))["aps"]
    }

    @Test func phonesThatKnowChannelsGetWhatTheSenderFinds() throws {
        let template = try template(rendering(), knowsChannels: true)
        #expect(template.slots == [.feed])
        let subscribed = try #require(try aps(template, feed: ActivityFeed.channel(channel)))
        #expect(subscribed["input-push-channel"] == .string(channel.text) && subscribed["input-push-token"] == nil)
        #expect(subscribed["event"] == .string("start") && subscribed["timestamp"] == .integer(1_760_000_000))
        let alone = try #require(try aps(template, feed: ActivityFeed.tokens))
        #expect(alone["input-push-token"] == .integer(1) && alone["input-push-channel"] == nil)
    }

    @Test func otherPhonesGetTokens() throws {
        for template in [
            try template(rendering(), knowsChannels: false),
            try template(rendering(feed: .tokens), knowsChannels: true),
        ] {
            #expect(template.slots.isEmpty)
            let aps = try #require(try aps(template))
            #expect(aps["input-push-token"] == .integer(1) && aps["input-push-channel"] == nil)
        }
    }

    @Test(arguments: [ActivityEvent.update, .end]) func laterPushesNameNoFeed(event: ActivityEvent) throws {
        let template = try template(rendering(event), knowsChannels: true)
        #expect(template.slots.isEmpty)
        let aps = try #require(try aps(template))
        #expect(aps["input-push-token"] == nil && aps["input-push-channel"] == nil)
    }

    /// The limit is reached with the longest id that a channel may have.
    @Test func theLongestChannelFits() throws {
        let longest = try PushToken(.channel, text: String(repeating: "A", count: PushToken.channelBytesMaximum))
        let parts = try template(rendering(), knowsChannels: true).parts.reduce(0) { $0 + $1.count }
        let room = 4_096 - parts - ActivityFeed.bytesMaximum
        let payload = try template(rendering(padding: room), knowsChannels: true).payload(
            token: "", badge: 0, feed: ActivityFeed.channel(longest))
        #expect(payload.count == 4_096)
        #expect(try rendering(padding: room).checkLimits().isEmpty)
        let flaws = try rendering(padding: room + 1).checkLimits()
        #expect(flaws.map(\.path) == ["content_state"])
        #expect(try rendering(feed: .tokens, padding: room + 1).checkLimits().isEmpty)
    }

    @Test func theFeedIsStoredWithItsTask() throws {
        var task = PushTask(id: RenderedTask.id, app: try AppID("bells"), created: RenderedTask.created)
        task.options.timeToLive = .seconds(3_600)
        var activity = ActivityContent(.start, of: try ActivityID("order-7"))
        activity.feed = .channel
        task.content.activity = activity
        let problems = JSONProblems()
        #expect(PushTask(task.json, problems: problems)?.content.activity == activity)
        var base = ActivityBase()
        base.feed = .channel
        base.channels = [.production: channel.text, .sandbox: "c2FuZGJveA=="]
        #expect(ActivityBase(decoding: base.encoded) == base)
    }
}
