import HTTPServer
import JSONKit
import PushModel

/// How a publisher says an order.
enum OrderDialect: String, CaseIterable, Sendable {
    case native
    case richie
    case pushd

    /// True if it can address these devices.
    func names(_ target: Order.Target) -> Bool {
        switch (self, target) {
        case (.native, _), (.richie, .everyone), (.richie, .topic), (.richie, .users), (.pushd, .everyone),
            (.pushd, .topic):
            true
        case (.richie, _), (.pushd, _): false
        }
    }

    /// True if its messages are for such devices.
    func reaches(_ number: Int) -> Bool {
        self != .richie || [.ios, .android].contains(Platform(Population.kind(number)))
    }

    /// Nil for the native one, whose requests follow from drafts.
    func request(_ target: Order.Target, countsBadge: Bool, topic: String, key: String) -> PublisherRequest? {
        switch self {
        case .native: nil
        case .richie: OrderDialect.richie(target, topic: topic, key: key)
        case .pushd:
            PublisherRequest(
                .post, "/event/\(target.isEveryone ? "broadcast" : topic)",
                JSONObject([
                    ("title", .string("Goal")), ("msg", .string("One to nil")),
                    ("incrementBadge", .string("\(countsBadge)")),
                ]), key: key)
        }
    }

    private static func richie(_ target: Order.Target, topic: String, key: String) -> PublisherRequest {
        let alert = JSON.object(
            JSONObject([("alert", .object(JSONObject([("title", .string("Goal")), ("body", .string("One to nil"))])))]))
        var json = JSONObject([("app_id", .string(SimulatedApp.richieID))])
        if case .users(let users) = target {
            json["external_user_ids"] = .array(users.map { .string(Population.userName(of: $0)) })
        } else {
            json["topics"] = .array([.string(target.isEveryone ? "all_users" : topic)])
        }
        json["payloads"] = .object(
            JSONObject([
                ("ios", .object(JSONObject([("aps", alert)]))), ("android", .object(JSONObject([("data", alert)]))),
            ]))
        return PublisherRequest(.post, "/push/v2/admin/task", json, key: key)
    }
}

extension Order.Target {
    fileprivate var isEveryone: Bool {
        if case .everyone = self { true } else { false }
    }
}
