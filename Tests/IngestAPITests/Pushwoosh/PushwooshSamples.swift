import JSONKit
import PushModel
import ServiceKit
import Store
import TestSupport

@testable import IngestAPI

/// Requests as Pushwoosh's clients and its SDK send them.
enum PushwooshSamples {
    static let start = "/json/1.3/startLiveActivity"
    static let update = "/json/1.3/updateLiveActivity"
    static let application = "NEWS0-00001"
    static let hwid = "B6A1C4E0-0F0B-4E53-9D4F-4C1C0C9A7B11"
    static let token = String(repeating: "ab", count: 40)
    static let otherToken = String(repeating: "cd", count: 40)

    /// A notification of a start; the members are JSON texts, and nil removes one of the sample.
    static func notification(_ changes: [String: String?] = [:]) -> String {
        object(
            [
                ("live_activity", activity()), ("live_activity_id", #""game-42""#), ("users", #"["ada"]"#),
            ], changes: changes)
    }

    static func activity(_ changes: [String: String?] = [:]) -> String {
        object(
            [
                ("content-state", #"{"emoji":":wink:"}"#), ("attributes-type", #""LiveActivityAttributes""#),
                ("attributes", #"{"name":"Apple"}"#),
            ], changes: changes)
    }

    static func change(_ changes: [String: String?] = [:], id: String = #""game-42""#) -> String {
        let activity = object(
            [("event", #""update""#), ("content-state", #"{"deliveryStatus":"Done"}"#)], changes: changes)
        return #"{"live_activity":\#(activity),"live_activity_id":\#(id)}"#
    }

    /// A publisher's request, with the key in `auth` unless it is nil.
    static func request(
        _ notifications: [String], auth: String?, application: String = application, fields: String = ""
    ) -> String {
        let key = auth.map { #""auth":"\#($0)","# } ?? ""
        let list = notifications.joined(separator: ",")
        return #"{"request":{"application":"\#(application)",\#(key)\#(fields)"notifications":[\#(list)]}}"#
    }

    /// The SDK's fields of every call, and these.
    static func call(_ changes: [String: String?] = [:]) -> String {
        object(
            [
                ("application", #""\#(application)""#), ("hwid", #""\#(hwid)""#), ("v", #""6.8.1""#),
                ("device_type", "1"), ("userId", #""ada""#),
            ], changes: changes)
    }

    static func device(_ changes: [String: String?] = [:]) -> String {
        call(["push_token": #""\#(SampleTokens.apns)""#].merging(changes) { $1 })
    }

    /// A device and all tokens of activities, which every call of the SDK takes.
    static let tokens = device([
        "activity_id": #""game-42""#, "activity_token": "\"\(token)\"",
        "activity_push_to_start_token": "\"\(otherToken)\"",
    ])

    private static func object(_ sample: [(name: String, text: String)], changes: [String: String?]) -> String {
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
    /// Sends notifications with the key in the body, as Pushwoosh's clients do.
    func pushwoosh(
        _ path: String, _ notifications: [String], as key: Key = .owner,
        application: String = PushwooshSamples.application
    ) async -> RawClient.Response {
        let body = PushwooshSamples.request(notifications, auth: secret(key), application: application)
        return await json("POST", path, json: body, headers: ["Authorization": ""])
    }

    /// Sends a call of the SDK, in its envelope.
    func device(
        _ name: String, _ body: String, as key: Key = .news, base: String = "/json/1.3"
    ) async -> RawClient.Response {
        await json(
            "POST", "\(base)/\(name)", json: #"{"request":\#(body)}"#,
            headers: ["Authorization": "Token \(secret(key))"])
    }

    /// The app's devices with the hwid.
    func phones(_ hwid: String = PushwooshSamples.hwid) async throws -> [RegisteredDevice] {
        let book = DeviceBook(registry: registry)
        return try await book.devices(of: try Alias(.hardware, value: hwid), in: news)
    }
}

extension RawClient.Response {
    /// `status_code`, also of an answer that has another HTTP status.
    var code: Int? {
        guard case .integer(let code) = json["status_code"] else { return nil }
        return Int(code)
    }

    var message: String { json["status_message"]?.text ?? "" }

    /// The whole envelope of a success, which the SDK demands.
    var isDone: Bool { status == 200 && code == 200 && message == "OK" }
}
