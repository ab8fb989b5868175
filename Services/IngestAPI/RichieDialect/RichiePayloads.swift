import JSONKit
import PushModel
import TaskModel

/// The payloads of a request, in either of the two layouts in Richie's documentation.
struct RichiePayloads {
    /// Names defined by Apple that are allowed beside `alert`.
    private static let appleNames = [
        "badge", "category", "interruption-level", "mutable-content", "relevance-score", "sound", "target-content-id",
        "thread-id",
    ]

    /// The posted payloads without null members.
    private var posted: [Platform: JSONObject] = [:]
    private(set) var warnings: [JSONProblems.Problem] = []

    /// Errors are added to the problems of the fields.
    init(_ fields: JSONFields) {
        posted[.ios] = fields.value("ios", expected: "an object") { $0.object?.withoutNulls(below: ["aps", "alert"]) }
        posted[.android] = fields.value("android", expected: "an object") {
            $0.object?.withoutNulls(below: ["data", "alert"])
        }
        if let ios = posted[.ios] { checkApple(RichiePayloads.fields(of: ios, "ios", in: fields)) }
        if let android = posted[.android] { checkAndroid(RichiePayloads.fields(of: android, "android", in: fields)) }
        fields.rejectUnknown()
        if !fields.has("ios"), !fields.has("android"), fields.unknownNames.isEmpty {
            fields.problems.add(fields.path, message: "expected a payload for ios or android")
        }
    }

    /// The payloads for the report, with the task id.
    func reported(_ id: TaskID) -> JSONObject {
        JSONObject(
            Platform.allCases.compactMap { platform in
                posted[platform].map {
                    (platform.rawValue, .object(RichiePayloads.mark($0, platform: platform, id: id)))
                }
            })
    }

    /// The payloads for devices. Android data is a flat table of strings, so every key is directly in `data`.
    func sent(_ id: TaskID) -> [Platform: JSONObject] {
        var sent: [Platform: JSONObject] = [:]
        for (platform, payload) in posted {
            let flat = platform == .android ? RichiePayloads.withoutAlert(payload) : payload
            sent[platform] = RichiePayloads.mark(flat, platform: platform, id: id)
        }
        return sent
    }

    private static func fields(of payload: JSONObject, _ name: String, in fields: JSONFields) -> JSONFields {
        JSONFields(.object(payload), path: "\(fields.path).\(name)", problems: fields.problems)
    }

    private mutating func checkApple(_ fields: JSONFields) {
        guard let aps = RichiePayloads.only("aps", of: fields) else { return }
        aps.allow(["alert", "content-available"] + RichiePayloads.appleNames + RichieKeys.issueKeys.sorted())
        let alert = aps.object("alert", isRequired: aps.unknownNames.isEmpty)
        _ = aps.integer("content-available", in: 0...1)
        aps.rejectUnknown { name in
            RichieKeys.documented.contains(name) ? "wrong place; move it into aps.alert" : nil
        }
        guard let alert else { return }
        let around = object(.ios, path: "aps").members.filter { RichieKeys.issueKeys.contains($0.name) }
        check(
            [
                RichieKeys.Place(path: alert.path, object: object(.ios, path: "aps", "alert")),
                RichieKeys.Place(path: aps.path, object: JSONObject(around)),
            ], isApple: true, problems: fields.problems)
    }

    /// The only member of a payload. Any other name is reported as unknown, instead of this one as missing.
    private static func only(_ name: String, of fields: JSONFields) -> JSONFields? {
        fields.allow([name])
        defer { fields.rejectUnknown() }
        return fields.object(name, isRequired: fields.unknownNames.isEmpty)
    }

    private mutating func checkAndroid(_ fields: JSONFields) {
        guard let data = RichiePayloads.only("data", of: fields) else { return }
        var direct = object(.android, path: "data")
        guard data.has("alert") else {
            return check([RichieKeys.Place(path: data.path, object: direct)], isApple: false, problems: fields.problems)
        }
        guard let alert = data.object("alert") else { return }
        direct["alert"] = nil
        check(
            [
                RichieKeys.Place(path: alert.path, object: object(.android, path: "data", "alert")),
                RichieKeys.Place(path: data.path, object: direct),
            ], isApple: false, problems: fields.problems)
    }

    private mutating func check(_ places: [RichieKeys.Place], isApple: Bool, problems: JSONProblems) {
        let keys = RichieKeys(places, isApple: isApple, problems: problems)
        keys.check()
        warnings += keys.warnings
    }

    private func object(_ platform: Platform, path: String...) -> JSONObject {
        path.reduce(posted[platform] ?? JSONObject()) { $0[$1]?.object ?? JSONObject() }
    }

    private static func mark(_ payload: JSONObject, platform: Platform, id: TaskID) -> JSONObject {
        let place = platform == .ios ? "aps" : "data"
        var marked = payload
        var inner = payload[place]?.object ?? JSONObject()
        inner[RichieKeys.taskID] = .string("\(id)")
        marked[place] = .object(inner)
        return marked
    }

    private static func withoutAlert(_ payload: JSONObject) -> JSONObject {
        guard var data = payload["data"]?.object, let alert = data["alert"]?.object else { return payload }
        data["alert"] = nil
        return JSONObject([("data", .object(JSONObject(alert.members + data.members)))])
    }
}
