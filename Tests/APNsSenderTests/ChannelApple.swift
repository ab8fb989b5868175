import HTTP2
import JSONKit
import ServiceKit
import TestSupport

/// Apple with channels: makes, lists and deletes them, unless a test has it answer otherwise.
final class ChannelApple: Sendable {
    struct State {
        var channels: [String] = []
        var made = 0
        var started: [JSON] = []
        /// Maximum number of channels.
        var room = 100
        /// The answer to a request for a channel.
        var refusal: HTTP2Reaction?
        /// True if channels are made and the answer is lost.
        var losesAnswers = false
    }

    let state: Monitor<State>
    let authority: TestAuthority
    let server: ScriptedApple

    init(_ authority: TestAuthority) throws {
        let state = Monitor(State())
        self.state = state
        self.authority = authority
        server = try ScriptedApple(authority) { request, _ in state.change { ChannelApple.answer(request, &$0) } }
    }

    var channels: [String] { state.withLock { $0.channels } }
    var made: Int { state.withLock { $0.made } }

    /// The channels of the starts that arrived; empty for a start with a token, nil for one without either.
    var feeds: [String?] {
        state.withLock { state in
            state.started.map { start in
                let aps = start["aps"]
                return aps?["input-push-channel"]?.text ?? (aps?["input-push-token"] == .integer(1) ? "" : nil)
            }
        }
    }

    private static func answer(_ request: HTTP2ServerRequest, _ state: inout State) -> HTTP2Reaction {
        switch (request.method, request.path) {
        case ("POST", "/1/apps/com.example.news/channels"):
            if let refusal = state.refusal { return refusal }
            guard state.channels.count < state.room else { return .refused(400, reason: "CannotCreateChannelConfig") }
            state.made += 1
            let id = "channel\(state.made)="
            state.channels.append(id)
            return state.losesAnswers ? .drop : .answer(HTTP2Answer(201, headers: ["apns-channel-id": id]))
        case ("DELETE", "/1/apps/com.example.news/channels"):
            guard let place = state.channels.firstIndex(of: request.headers["apns-channel-id"] ?? "") else {
                return .refused(400, reason: "ChannelNotRegistered")
            }
            state.channels.remove(at: place)
            return .answer(HTTP2Answer(204))
        case ("GET", "/1/apps/com.example.news/all-channels"):
            let json = JSONText.object { $0.member("channels", json: JSONText.array(state.channels)) }
            return .answer(HTTP2Answer(200, body: Array(json.utf8)))
        case ("POST", "/4/broadcasts/apps/com.example.news"):
            return state.channels.contains(request.headers["apns-channel-id"] ?? "")
                ? .accepted : .refused(400, reason: "ChannelNotRegistered")
        default:
            if let payload = try? JSON(request.body) { state.started.append(payload) }
            return .accepted
        }
    }
}
