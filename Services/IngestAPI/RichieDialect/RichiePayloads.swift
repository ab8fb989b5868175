import JSONKit
import PushModel
import TaskModel

/// The payloads of a request, in either of the layouts that Richie's documentation shows.
struct RichiePayloads {
    /// Names that Apple defines, which stand beside `alert` with Apple's meaning.
    private static let appleNames: Set<String> = [
        "badge", "category", "interruption-level", "mutable-content", "relevance-score", "sound", "target-content-id",
        "thread-id",
    ]

    /// As they were posted.
    private var posted: [Platform: JSONObject] = [:]
    private(set) var warnings: [JSONProblems.Problem] = []

    /// What is wrong goes to the problems of the fields.
    init(_ fields: JSONFields) {
        posted[.ios] = fields.value("ios", expected: "an object with aps") { $0.object }
        posted[.android] = fields.value("android", expected: "an object with data") { $0.object }
        if let ios = fields.object("ios") { checkApple(ios) }
        if let android = fields.object("android") { checkAndroid(android) }
        fields.rejectUnknown()
        if !fields.has("ios"), !fields.has("android") {
            fields.problems.add(fields.path, "must have one for ios or for android")
        }
    }

    /// With the task's id where reports and devices have it.
    func reported(_ id: TaskID) -> JSONObject {
        JSONObject(
            Platform.allCases.compactMap { platform in
                posted[platform].map { (platform.rawValue, .object(RichiePayloads.mark($0, platform, id))) }
            })
    }

    /// What devices get: on Android, whose data is one table of texts, every key directly in `data`.
    func sent(_ id: TaskID) -> [Platform: JSONObject] {
        var sent: [Platform: JSONObject] = [:]
        for (platform, payload) in posted {
            let flat = platform == .android ? RichiePayloads.withoutAlert(payload) : payload
            sent[platform] = RichiePayloads.mark(flat, platform, id)
        }
        return sent
    }

    private mutating func checkApple(_ fields: JSONFields) {
        guard let aps = fields.object("aps", isRequired: true) else { return fields.rejectUnknown() }
        fields.rejectUnknown()
        let alert = aps.object("alert", isRequired: true)
        _ = aps.integer("content-available", in: 0...1)
        aps.allow(RichiePayloads.appleNames)
        for name in RichieKeys.documented.sorted() where aps.has(name) && !RichieKeys.issueKeys.contains(name) {
            aps.reject(name, "stands in the wrong place; move it into aps.alert")
        }
        aps.rejectUnknown()
        guard let alert else { return }
        let around = object(.ios, "aps").members.filter { RichieKeys.issueKeys.contains($0.name) }
        check(
            [
                RichieKeys.Place(path: alert.path, object: object(.ios, "aps", "alert")),
                RichieKeys.Place(path: aps.path, object: JSONObject(around)),
            ], fields.problems)
    }

    private mutating func checkAndroid(_ fields: JSONFields) {
        guard let data = fields.object("data", isRequired: true) else { return fields.rejectUnknown() }
        fields.rejectUnknown()
        var direct = object(.android, "data")
        guard data.has("alert"), let alert = data.object("alert") else {
            return check([RichieKeys.Place(path: data.path, object: direct)], fields.problems)
        }
        direct["alert"] = nil
        check(
            [
                RichieKeys.Place(path: alert.path, object: object(.android, "data", "alert")),
                RichieKeys.Place(path: data.path, object: direct),
            ], fields.problems)
    }

    private mutating func check(_ places: [RichieKeys.Place], _ problems: JSONProblems) {
        let keys = RichieKeys(places, problems)
        keys.check()
        warnings += keys.warnings
    }

    private func object(_ platform: Platform, _ path: String...) -> JSONObject {
        path.reduce(posted[platform] ?? JSONObject()) { $0[$1]?.object ?? JSONObject() }
    }

    private static func mark(_ payload: JSONObject, _ platform: Platform, _ id: TaskID) -> JSONObject {
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
