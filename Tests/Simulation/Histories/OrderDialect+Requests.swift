import HTTPServer
import JSONKit
import PushModel
import ServiceKit
import TaskModel

@testable import IngestAPI

extension OrderDialect {
    /// Nil for the native one, whose requests follow from drafts, and for AppMetrica's, which name tokens.
    func request(_ order: Order, number: Int, topic: String) -> PublisherRequest? {
        let key = HistoryRun.key(number)
        return switch self {
        case .native, .appMetrica: nil
        case .richie: OrderDialect.richie(order.target, topic: topic, key: key)
        case .pushd:
            PublisherRequest(
                .post, "/event/\(order.target.isEveryone ? "broadcast" : topic)",
                JSONObject([
                    ("title", .string("Goal")), ("msg", .string("One to nil")),
                    ("incrementBadge", .string("\(order.countsBadge)")),
                ]), key: key)
        case .contextPush:
            PublisherRequest(
                .post, "/v1/campaigns/schedule_message_for_user", OrderDialect.message(order, number: number))
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

/// ContextPush's requests.
extension OrderDialect {
    /// The member of a message's `userInfo` that has the number of its order.
    static let orderName = "order"

    static func cancel(_ order: Order, number: Int) -> PublisherRequest {
        PublisherRequest(.post, "/v1/campaigns/cancel_message_for_user", name(order, number: number))
    }

    private static func name(_ order: Order, number: Int) -> JSONObject {
        JSONObject([
            ("bundle_id", .string(SimulatedApp.contextPushID)),
            ("platform", .string(platform(of: order.target).rawValue)),
            ("user_id", .string(Population.userName(of: order.target.listed[0]))),
            ("campaign_id", .string("daily-score")),
            ("idempotency_key", .string(order.replacementKey(number) ?? "")),
        ])
    }

    private static func message(_ order: Order, number: Int) -> JSONObject {
        guard case .windowUntil(let end, let method) = order.begin else {
            preconditionFailure("a message has a window")
        }
        let content = JSONObject([
            ("default_locale", .string("en")), ("title", texts("Goal", german: "Tor")),
            ("body", texts("One to nil", german: "Eins zu null")),
            ("userInfo", .object(JSONObject([(orderName, .integer(Int64(number)))]))),
        ])
        var json = name(order, number: number)
        json["target_delivery_time"] = .string("\(ProcessClock.start + end)")
        if case .fixed(let method) = method { json["delivery_method"] = .string(method.rawValue) }
        json["content"] = .object(content)
        return json
    }

    private static func texts(_ english: String, german: String) -> JSON {
        .object(JSONObject([("en", .string(english)), ("de", .string(german))]))
    }
}

extension Order.Target {
    fileprivate var isEveryone: Bool {
        if case .everyone = self { true } else { false }
    }
}
