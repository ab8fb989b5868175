import Apps
import JSONKit
import PushModel
import ServiceKit
import TaskModel
import Topics

/// An accepted task in the form that `POST /v1/tasks` reads, so that it can be posted again.
struct AcceptedTaskForm: Sendable {
    let json: JSONObject
    /// What the task has and the form has not: times that are over, and what other dialects can say.
    let omitted: [String]

    init(_ task: PushTask, of app: PushApp, at now: Timestamp) {
        let timing = AcceptedTiming(task, at: now)
        var object = JSONObject()
        object["audience"] = task.target.audience?.json
        AcceptedTaskForm.add(task.target.list, to: &object)
        AcceptedTaskForm.add(task.content, to: &object)
        object["options"] = AcceptedTaskForm.json(of: task.options)
        for member in timing.members { object[member.name] = member.value }
        object["quiet_hours"] = AcceptedTaskForm.quietHours(of: task.rules, in: app)
        object["cap"] = AcceptedTaskForm.cap(of: task.rules, in: app)
        object["rate"] = task.rules.rate.map { .integer(Int64($0)) }
        object["replaces"] = task.replaces.map { .string($0.text) }
        if !task.labels.areEmpty { object["labels"] = task.labels.json }
        json = object
        omitted = AcceptedTaskForm.omissions(of: task) + timing.omitted
    }

    private static func add(_ list: TargetList, to object: inout JSONObject) {
        guard case .entries(let entries) = list else { return }
        let users = entries.compactMap(\.user)
        let devices = entries.compactMap(\.device)
        if !users.isEmpty { object["users"] = .array(users.map { .string($0) }) }
        if !devices.isEmpty { object["devices"] = .array(devices.map { .string("\($0)") }) }
    }

    private static func add(_ content: TaskContent, to object: inout JSONObject) {
        object["message"] = content.message?.json
        let platforms = Platform.allCases.filter { content.platforms.contains($0) }
        if !platforms.isEmpty, platforms != Platform.supported {
            object["platforms"] = .array(platforms.map { .string($0.rawValue) })
        }
        let messages = Platform.allCases.compactMap { platform in
            content.messages[platform].map { (platform.rawValue, $0.json) }
        }
        if !messages.isEmpty { object["messages"] = .object(JSONObject(messages)) }
        let payloads = Platform.allCases.compactMap { platform in
            content.payloads[platform].map { (platform.rawValue, JSON.object($0)) }
        }
        if !payloads.isEmpty { object["payloads"] = .object(JSONObject(payloads)) }
        let variables = content.variables.sorted { $0.key < $1.key }.map { ($0.key, JSON.string($0.value)) }
        if !variables.isEmpty { object["variables"] = .object(JSONObject(variables)) }
    }

    private static func json(of options: TaskOptions) -> JSON {
        var object = JSONObject([
            ("priority", .string(options.priority.rawValue)),
            ("time_to_live", .string(DurationText.print(options.timeToLive))),
            ("ambiguous", .string(options.ambiguity.rawValue)),
        ])
        object["collapse_id"] = options.collapseID.map { .string($0) }
        return .object(object)
    }

    private static func quietHours(of rules: DeliveryRules, in app: PushApp) -> JSON? {
        guard rules.quietHours != nil else { return app.quietHours == nil ? nil : .string("ignore") }
        return .string(rules.quietPolicy.rawValue)
    }

    private static func cap(of rules: DeliveryRules, in app: PushApp) -> JSON? {
        guard rules.cap != nil else { return app.limits.pushesPerDevice == nil ? nil : .string("ignore") }
        return .string(rules.capPolicy.rawValue)
    }

    private static func omissions(of task: PushTask) -> [String] {
        let content = task.content
        return [
            ("list", !task.target.list.isNative), ("target", task.isWithdrawn),
            ("listed_contents", task.hasListedContents), ("activity", content.activity != nil),
            ("group", task.rules.group != nil), ("plain_apple_alert", content.hasPlainAppleAlert),
            ("wakes_apple_app", content.wakesAppleApp),
        ].filter { $0.1 }.map { $0.0 }
    }
}

extension TargetList {
    /// True if the native API can name all of its entries, and they are in the message of the task.
    fileprivate var isNative: Bool {
        guard case .entries(let entries) = self else { return false }
        return entries.allSatisfy { $0.user != nil || $0.device != nil }
    }
}

extension TargetEntry {
    fileprivate var user: String? {
        guard case .alias(let alias) = self, alias.kind == .externalUser else { return nil }
        return alias.value
    }

    fileprivate var device: DeviceID? {
        guard case .device(let id) = self else { return nil }
        return id
    }
}
