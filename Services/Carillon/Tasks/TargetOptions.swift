import CommandKit
import JSONKit

/// Options that say whom a task or an activity is for, as members of a request.
enum TargetOptions {
    static let options = [all, topic, audience, user, device]

    private static let all = CommandOption("--all", meaning: "Send to all devices of the app")
    private static let topic = CommandOption(
        "--topic", value: "NAME", isRepeatable: true,
        meaning: "Send to the subscribers of this topic; if repeated, of any")
    private static let audience = CommandOption(
        "--audience", value: "AUDIENCE",
        meaning: "Send to this audience: the name of a saved one, or JSON such as '{\"language\": \"fr\"}'")
    private static let user = CommandOption(
        "--user", value: "ID", isRepeatable: true, meaning: "Send to the devices of this user; repeatable")
    private static let device = CommandOption(
        "--device", value: "ID", isRepeatable: true, meaning: "Send to this device; repeatable")

    static func target(_ arguments: CommandArguments) throws(UsageError) -> JSONObject {
        var target = JSONObject()
        let topics = arguments.values(topic)
        guard !arguments.has(all) || topics.isEmpty else {
            throw UsageError("--all includes the subscribers of every topic; remove --topic")
        }
        if let text = arguments.value(audience) {
            guard !arguments.has(all), topics.isEmpty else {
                throw UsageError("--audience cannot be combined with --all or --topic")
            }
            target["audience"] = try AudienceText.audienceOrName(text)
        } else if let audience = targets(toAll: arguments.has(all), topics) {
            target["audience"] = audience
        }
        for (name, option) in [("users", user), ("devices", device)] where arguments.has(option) {
            target[name] = .array(arguments.values(option).map { .string($0) })
        }
        guard !target.names.isEmpty else {
            throw UsageError(
                "no audience given; use --all, --topic NAME, --audience AUDIENCE, --user ID or --device ID")
        }
        return target
    }

    private static func targets(toAll: Bool, _ topics: [String]) -> JSON? {
        if toAll { return .object(JSONObject([("all", .bool(true))])) }
        let named = topics.map { JSON.object(JSONObject([("topic", .string($0))])) }
        return named.count > 1 ? .object(JSONObject([("any", .array(named))])) : named.first
    }
}
