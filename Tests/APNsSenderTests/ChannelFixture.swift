import HTTP2
import JSONKit
import MemoryStore
import ProviderKit
import PushModel
import ServiceKit
import Store
import TaskModel
import TestSupport
import Testing
import Topics

@testable import APNsSender

/// A sender with an activity that is about to be started, and Apple with channels.
struct ChannelFixture {
    let apple: ChannelApple
    let sender: SenderFixture
    let activity: ActivityID
    var space: AppID { sender.app.activities }
    var place: ChannelPlace { ChannelPlace(activity, in: .production) }

    init(registry: MemoryRegistry? = nil, apple: ChannelApple? = nil) async throws {
        if let apple { self.apple = apple } else { self.apple = try ChannelApple(try await TestAuthority()) }
        sender = try await SenderFixture(self.apple.authority, apple: self.apple.server, channels: registry)
        activity = try ActivityID("match-1")
    }

    func close() async {
        await sender.end()
        await apple.server.server.close()
    }

    /// Stores an activity; `ended` is the time of its end.
    func begin(
        _ id: ActivityID? = nil, base: ActivityBase = ActivityBase(), ended: Timestamp? = nil
    ) async throws {
        let (now, id) = (sender.time.now, id ?? activity)
        let state = ActivityState(stamp: TaskID(high: 1, low: 1), contentState: JSONObject())
        let records: [(ActivityFact.Kind, ActivityRecord?)] = [
            (.base, ActivityRecord(time: now, content: base.encoded)),
            (.end, ended.map { ActivityRecord(time: $0, content: state.encoded) }),
        ]
        for (kind, record) in records {
            try await sender.channels.save(record, as: ActivityFact(kind, of: id), in: space)
        }
    }

    /// Sends pushes that start the activity on phones that know channels.
    func start(_ count: Int = 3, isSandbox: Bool = false) async throws -> [PushOutcome] {
        let template = PayloadTemplate(
            parts: [Array(#"{"aps":{"event":"start","#.utf8), Array("}}".utf8)], slots: [.feed])
        let content = PushContent(
            RenderedVariant(
                kind: .liveActivity, priority: .high, pushType: "liveactivity", collapseID: "",
                expiration: 1_900_000_000, payload: template))
        let pushes = (0..<count).map { number in
            Push(
                id: TaskID(high: 0xFF, low: UInt64(number)), token: PushLoad.token(number), isSandbox: isSandbox,
                content: content, badge: 0, activity: ChunkActivity(.start, of: activity, timestamp: 1))
        }
        return try await send(pushes)
    }

    /// Sends an update to the channel.
    func broadcast(on channel: PushToken) async throws -> [PushOutcome] {
        let content = PushContent(
            RenderedVariant(
                kind: .channel, priority: .normal, pushType: "liveactivity", collapseID: "",
                expiration: 1_900_000_000, payload: PayloadTemplate(Array(#"{"aps":{"event":"update"}}"#.utf8))))
        return try await send([
            Push(
                id: TaskID(high: 0xFE, low: 0), token: channel.text, isSandbox: false, content: content, badge: 0,
                activity: ChunkActivity(.update, of: activity, timestamp: 2))
        ])
    }

    /// In as many parts as the gateway admits: on a loaded machine an answer may be late, after which it admits a single
    /// push.
    private func send(_ pushes: [Push]) async throws -> [PushOutcome] {
        let gateway = try #require(await sender.gateways.apns(sender.app))
        var outcomes: [PushOutcome] = []
        while outcomes.count < pushes.count {
            let rest = pushes.dropFirst(outcomes.count)
            guard case .admitted(let count) = await gateway.admit(rest.count, lane: .bulk) else {
                return outcomes + rest.map { _ in .heldBack(.zero, reason: "not admitted") }
            }
            outcomes += await gateway.send(Array(rest.prefix(count)))
        }
        return outcomes
    }

    var sweep: ChannelSweep { sender.provider.sweep(sender.credentials, of: sender.app) }
}

extension PushOutcome {
    var reason: String? {
        guard case .answered(let answer) = self else { return nil }
        return answer.reason
    }

    var isHeldBack: Bool {
        guard case .heldBack = self else { return false }
        return true
    }
}
