import JSONKit
import ServiceKit

/// A task as the options of `carillon push` describe it.
enum PushOptions {
    static let options = [all, topic, user, device, platform, title, body, silent, timeToLive]

    private static let all = CommandOption("--all", meaning: "To every device of the app.")
    private static let topic = CommandOption(
        "--topic", value: "NAME", isRepeatable: true, meaning: "To the subscribers of a topic; of any of several.")
    private static let user = CommandOption(
        "--user", value: "ID", isRepeatable: true, meaning: "To the devices of a user. May be given several times.")
    private static let device = CommandOption(
        "--device", value: "ID", isRepeatable: true, meaning: "To one device. May be given several times.")
    private static let platform = CommandOption(
        "--platform", value: "NAME", isRepeatable: true,
        meaning: "Only to devices of this platform, such as ios or android.")
    private static let title = CommandOption("--title", value: "TEXT", meaning: "The first line that is shown.")
    private static let body = CommandOption("--body", value: "TEXT", meaning: "The text below it.")
    private static let silent = CommandOption("--silent", meaning: "Wakes the app and shows nothing.")
    private static let timeToLive = CommandOption(
        "--time-to-live", value: "TIME", meaning: "How long it may wait for a device that is off, such as 12h.")

    /// What to write where it cannot be told by options.
    static func isGiven(_ arguments: CommandArguments) -> Bool {
        options.contains { arguments.has($0) }
    }

    static func task(_ arguments: CommandArguments) throws(UsageError) -> JSON {
        var task = JSONObject()
        let topics = arguments.values(topic)
        guard !arguments.has(all) || topics.isEmpty else {
            throw UsageError("--all reaches the subscribers of every topic: leave --topic out")
        }
        if let audience = audience(toAll: arguments.has(all), topics) { task["audience"] = audience }
        for (name, option) in [("users", user), ("devices", device)] where arguments.has(option) {
            task[name] = texts(arguments.values(option))
        }
        guard !task.names.isEmpty else {
            throw UsageError("say to whom: --all, --topic NAME, --user ID or --device ID")
        }
        if arguments.has(platform) { task["platforms"] = texts(arguments.values(platform)) }
        task["message"] = .object(try message(arguments))
        if let time = arguments.value(timeToLive) {
            guard DurationText.parse(time) != nil else {
                throw UsageError("--time-to-live \(time): it takes a time such as 30s, 5m or 12h")
            }
            task["options"] = .object(JSONObject([("time_to_live", .string(time))]))
        }
        return .object(task)
    }

    private static func audience(toAll: Bool, _ topics: [String]) -> JSON? {
        if toAll { return .object(JSONObject([("all", .bool(true))])) }
        let named = topics.map { JSON.object(JSONObject([("topic", .string($0))])) }
        return named.count > 1 ? .object(JSONObject([("any", .array(named))])) : named.first
    }

    private static func message(_ arguments: CommandArguments) throws(UsageError) -> JSONObject {
        var message = JSONObject()
        if let text = arguments.value(title) { message["title"] = .string(text) }
        if let text = arguments.value(body) { message["body"] = .string(text) }
        guard arguments.has(silent) != !message.names.isEmpty else {
            throw UsageError(
                arguments.has(silent)
                    ? "a silent push shows nothing: leave --title and --body out"
                    : "say what: --title TEXT, --body TEXT or --silent")
        }
        if arguments.has(silent) { message["silent"] = .bool(true) }
        return message
    }

    private static func texts(_ values: [String]) -> JSON {
        .array(values.map { .string($0) })
    }
}
