import HTTPServer
import JSONKit
import PushModel
import ServiceKit
import TaskModel

/// A Live Activity of a history: what its publisher requests, and what the apps on its phones report.
struct ActivityPlan: Sendable {
    enum Kind: Sendable, Equatable {
        case start
        case update(isUrgent: Bool)
        case end
        /// The app on a device reports its token of the activity. All tokens of a history have numbers of their own.
        case report(device: Int, token: Int)
        /// The activity is over on the device.
        case close(device: Int)
    }

    enum Dialect: String, CaseIterable, Sendable {
        case native
        case pushwoosh
    }

    struct Step: Sendable {
        let time: Duration
        let kind: Kind
    }

    static let type = "Order"

    let number: Int
    let dialect: Dialect
    let users: [Int]
    /// True if devices on which it cannot be started get a message.
    let hasFallback: Bool
    /// True if devices of other platforms get its states as data.
    let isMirrored: Bool
    /// True if phones that know channels get its updates from one.
    let hasChannel: Bool
    let steps: [Step]

    /// `phones` are the devices of the users that can show it; `tokens` counts the tokens of the history.
    init(number: Int, users: [Int], phones: [Int], span: Duration, tokens: inout Int, dice: inout Dice) {
        self.number = number
        self.users = users
        dialect = dice.pick(Dialect.allCases)
        hasFallback = dice.chance(50)
        isMirrored = dialect == .native && dice.chance(40)
        let hasChannel = dialect == .native && dice.chance(40)
        self.hasChannel = hasChannel
        // The others get no token to report.
        let phones = phones.filter { !hasChannel || !Population.knowsChannels($0) }
        let begin = dice.duration(.zero...span * 0.5)
        var steps: [Step] = []
        if dice.chance(90) { steps.append(Step(time: begin, kind: .start)) }
        for device in phones where dice.chance(80) {
            for report in 0..<(dice.chance(25) ? 2 : 1) {
                let latest = Duration.seconds(report == 0 ? 20 : 70)
                steps.append(
                    Step(time: begin + dice.duration(.zero...latest), kind: .report(device: device, token: tokens)))
                tokens += 1
            }
            if dice.chance(10) {
                steps.append(Step(time: begin + dice.duration(.zero ... .seconds(70)), kind: .close(device: device)))
            }
        }
        for _ in 0..<dice.number(in: 1...4) {
            let time = begin + dice.duration(.zero ... .seconds(60))
            for _ in 0..<dice.number(in: 1...3) {
                steps.append(
                    Step(
                        time: time + dice.duration(.zero ... .seconds(3)),
                        kind: .update(isUrgent: dice.chance(30))))
            }
        }
        // Senders delete channels after the end; what a phone is told of one is seen at another start.
        if dice.chance(hasChannel ? 80 : 60) {
            let end = begin + dice.duration(.zero ... .seconds(70))
            steps.append(Step(time: end, kind: .end))
            if dice.chance(hasChannel ? 80 : 40) {
                steps += ActivityPlan.restart(after: end, phones: phones, tokens: &tokens, dice: &dice)
            }
        }
        self.steps = steps
    }

    /// It begins anew under its name.
    private static func restart(
        after end: Duration, phones: [Int], tokens: inout Int, dice: inout Dice
    ) -> [Step] {
        let begin = end + dice.duration(.seconds(1) ... .seconds(30))
        func later() -> Duration { begin + dice.duration(.zero ... .seconds(30)) }
        var steps = [Step(time: begin, kind: .start)]
        for device in phones where dice.chance(60) {
            steps.append(Step(time: later(), kind: .report(device: device, token: tokens)))
            tokens += 1
        }
        for _ in 0..<dice.number(in: 0...3) {
            steps.append(Step(time: later(), kind: .update(isUrgent: dice.chance(30))))
        }
        if dice.chance(50) { steps.append(Step(time: later(), kind: .end)) }
        return steps
    }

    var name: String { "activity-\(number)" }

    /// True if the device gets the start, or something in its place.
    func reaches(_ number: Int) -> Bool {
        guard !Population.canStart(number) else { return true }
        let platform = Platform(Population.kind(number))
        if isMirrored, MirroredState.platforms.contains(platform) { return true }
        return hasFallback && (platform == .ios || dialect == .native && !isMirrored)
    }

    /// True if the device gets each state as data.
    func mirrors(to number: Int) -> Bool {
        isMirrored && MirroredState.platforms.contains(Platform(Population.kind(number)))
    }

    /// The state that the step gives the activity, which no other has.
    func state(of step: Int) -> Int { number * 1_000 + step }

    /// A request of the publisher; nil for what an app reports.
    func request(_ step: Int) -> PublisherRequest? {
        let state = JSON.object(JSONObject([("step", .integer(Int64(state(of: step))))]))
        let key = "\(name)-\(step)"
        return switch dialect {
        case .native: native(steps[step].kind, state, key: key)
        case .pushwoosh: pushwoosh(steps[step].kind, state, key: key)
        }
    }

    private func native(_ kind: Kind, _ state: JSON, key: String) -> PublisherRequest? {
        switch kind {
        case .start: return PublisherRequest(.post, "/v1/activities", start(state), key: key)
        case .update(let isUrgent):
            let priority = JSON.string(isUrgent ? "high" : "normal")
            return PublisherRequest(
                .patch, "/v1/activities/\(name)", JSONObject([("content_state", state), ("priority", priority)]),
                key: key)
        case .end:
            return PublisherRequest(
                .post, "/v1/activities/\(name)/end", JSONObject([("content_state", state)]), key: key)
        case .report, .close: return nil
        }
    }

    private func start(_ state: JSON) -> JSONObject {
        let message = JSON.object(JSONObject([("title", .string("Your order"))]))
        var json = JSONObject([
            ("id", .string(name)), ("type", .string(ActivityPlan.type)), ("content_state", state), ("alert", message),
            ("users", .array(users.map { .string(Population.userName(of: $0)) })),
        ])
        if hasFallback { json["fallback"] = message }
        if isMirrored { json["mirror"] = .bool(true) }
        if hasChannel { json["updates"] = .string("channel") }
        return json
    }
}

/// Pushwoosh's requests.
extension ActivityPlan {
    private func pushwoosh(_ kind: Kind, _ state: JSON, key: String) -> PublisherRequest? {
        var activity = JSONObject([("content-state", state)])
        var notification = JSONObject([("live_activity_id", .string(name))])
        switch kind {
        case .start:
            activity["attributes-type"] = .string(ActivityPlan.type)
            activity["attributes"] = .object(JSONObject([("number", .integer(Int64(number)))]))
            notification["title"] = .string("Your order")
            // What phones without activities get.
            if hasFallback { notification["content"] = .string("Your order") }
            notification["users"] = .array(users.map { .string(Population.userName(of: $0)) })
        case .update: activity["event"] = .string("update")
        case .end: activity["event"] = .string("end")
        case .report, .close: return nil
        }
        notification["live_activity"] = .object(activity)
        let json = JSONObject([
            ("application", .string(SimulatedApp.pushwooshID)), ("notifications", .array([.object(notification)])),
        ])
        return PublisherRequest(
            .post, "/json/1.3/\(kind == .start ? "startLiveActivity" : "updateLiveActivity")",
            JSONObject([("request", .object(json))]), key: key)
    }
}

extension ActivityPlan: CustomStringConvertible {
    var description: String {
        "for \(users.count) users\(hasFallback ? ", with a fallback" : "")\(isMirrored ? ", mirrored" : "")\(hasChannel ? ", with a channel" : ""), in the dialect \(dialect)"
    }
}

extension ActivityPlan.Kind: CustomStringConvertible {
    var description: String {
        switch self {
        case .start: "start"
        case .update(let isUrgent): isUrgent ? "urgent update" : "update"
        case .end: "end"
        case .report(let device, let token): "device \(device) reports token \(token)"
        case .close(let device): "over on device \(device)"
        }
    }
}
