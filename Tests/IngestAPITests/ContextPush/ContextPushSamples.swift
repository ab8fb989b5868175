import JSONKit
import ServiceKit
import TestSupport

@testable import IngestAPI

/// Requests as ContextPush's clients send them.
enum ContextPushSamples {
    static let schedule = "/v1/campaigns/schedule_message_for_user"
    static let cancel = "/v1/campaigns/cancel_message_for_user"

    /// The members are JSON texts; nil removes one of the sample.
    static func message(_ changes: [String: String?] = [:]) -> String {
        body(
            [
                ("bundle_id", #""com.example.news""#), ("platform", #""ios""#), ("user_id", #""ada@example.com""#),
                ("campaign_id", #""daily-reminder""#), ("deliver_within_hours", "3"),
                ("content", #"{"title":"T","body":"B"}"#),
            ], changes: changes)
    }

    static func cancellation(_ changes: [String: String?] = [:]) -> String {
        body(
            [
                ("bundle_id", #""com.example.news""#), ("platform", #""ios""#), ("user_id", #""ada@example.com""#),
                ("campaign_id", #""daily-reminder""#), ("idempotency_key", #""k""#),
            ], changes: changes)
    }

    private static func body(_ sample: [(name: String, text: String)], changes: [String: String?]) -> String {
        let kept = sample.compactMap { name, text in
            (changes[name] ?? text).map { "\(JSONText.quoted(name)):\($0)" }
        }
        let added = changes.filter { name, _ in !sample.contains { $0.name == name } }
        let more = added.sorted { $0.key < $1.key }.compactMap { name, text in
            text.map { "\(JSONText.quoted(name)):\($0)" }
        }
        return "{\((kept + more).joined(separator: ","))}"
    }
}

extension IngestFixture {
    /// Schedules a message of the sample, with changes.
    func schedule(_ changes: [String: String?] = [:], as key: Key = .publisher) async -> RawClient.Response {
        await json("POST", ContextPushSamples.schedule, json: ContextPushSamples.message(changes), as: key)
    }

    func cancelMessage(_ changes: [String: String?] = [:], as key: Key = .publisher) async -> RawClient.Response {
        await json("POST", ContextPushSamples.cancel, json: ContextPushSamples.cancellation(changes), as: key)
    }
}

extension RawClient.Response {
    /// The fields of all errors of ContextPush's form.
    var fields: [String?]? { json["errors"]?.elements?.map { $0["field"]?.text } }
}
