import CommandKit
import JSONKit
import LocalTime
import PushModel
import ServiceKit
import TaskModel

/// Builds a task from the options of `carillon push`.
enum PushOptions {
    static let options =
        TargetOptions.options + [
            platform, title, body, silent, timeToLive, at, local, within, method, quietHours, cap, rate, replaces,
            label,
        ]

    private static let platform = CommandOption(
        "--platform", value: "NAME", isRepeatable: true,
        meaning: "Send only to this platform, such as ios; repeatable")
    private static let title = CommandOption("--title", value: "TEXT", meaning: "Title of the notification")
    private static let body = CommandOption("--body", value: "TEXT", meaning: "Body of the notification")
    private static let silent = CommandOption("--silent", meaning: "Wake the app without showing a notification")
    private static let timeToLive = CommandOption(
        "--time-to-live", value: "TIME", meaning: "How long the push may wait for an offline device, such as 12h")

    private static let at = CommandOption(
        "--at", value: "TIME", meaning: "Send it then, such as 2026-12-24T18:00:00+02:00, at most 90 days ahead")

    private static let local = CommandOption(
        "--local", value: "TIME",
        meaning: "Send it when the clock of each device shows this time, such as 2026-12-24T09:00")
    private static let within = CommandOption(
        "--within", value: "TIME",
        meaning: "Send it to each --user within this time, such as 3h, at a moment that the user's app reports as good")
    private static let method = CommandOption(
        "--method", value: "METHOD",
        meaning: "How that moment is chosen: context_aware (default), traditional (at once) or compare (half of each)")
    private static let rate = CommandOption(
        "--rate", value: "NUMBER", meaning: "Send to at most this many devices a second, 1 to 1000000")
    private static let quietHours = CommandOption(
        "--quiet-hours", value: "CHOICE",
        meaning: "What to do with devices in their quiet hours: defer (default), skip or ignore")

    private static let cap = CommandOption(
        "--cap", value: "CHOICE",
        meaning: "What to do with devices that got as many pushes as the app allows: defer (default), skip or ignore")
    private static let replaces = CommandOption(
        "--replaces", value: "KEY", meaning: "Of the tasks with this key only the last counts, such as order-4711")
    private static let label = CommandOption(
        "--label", value: "NAME=VALUE", isRepeatable: true,
        meaning: "Count the task under this label in carillon stats, such as campaign=spring; repeatable")

    /// True if any of the options that describe a task is given.
    static func isGiven(_ arguments: CommandArguments) -> Bool {
        options.contains { arguments.has($0) }
    }

    static func task(_ arguments: CommandArguments) throws(UsageError) -> JSON {
        var task = try TargetOptions.target(arguments)
        if arguments.has(platform) { task["platforms"] = texts(arguments.values(platform)) }
        task["message"] = .object(try message(arguments))
        if let time = arguments.value(timeToLive) {
            guard DurationText.parse(time) != nil else {
                throw UsageError("--time-to-live \(time): expected a duration such as 30s, 5m or 12h")
            }
            task["options"] = .object(JSONObject([("time_to_live", .string(time))]))
        }
        if let moment = arguments.value(at) {
            guard Timestamp(rfc3339: moment) != nil else {
                throw UsageError("--at \(moment): expected a time with a zone, such as 2026-12-24T18:00:00Z")
            }
            task["send_at"] = .string(moment)
        }
        if let moment = arguments.value(local) {
            guard LocalDateTime(moment) != nil else {
                throw UsageError("--local \(moment): expected a time without a zone, such as 2026-12-24T09:00")
            }
            guard !arguments.has(at) else { throw UsageError("--local cannot be combined with --at") }
            task["send_at_local"] = .string(moment)
        }
        if let length = arguments.value(within) {
            guard let time = DurationText.parse(length), DeliveryWindow.lengths.contains(time) else {
                throw UsageError("--within \(length): expected a duration from 1m to 90d, such as 3h")
            }
            guard task["users"] != nil, task["devices"] == nil, task["audience"] == nil else {
                throw UsageError("--within needs --user ID, and nothing else to send to")
            }
            task["deliver_within"] = .string(length)
        }
        if let choice = arguments.value(method) {
            guard DeliveryWindow.Method(rawValue: choice) != nil || choice == "compare" else {
                throw UsageError("--method \(choice): expected context_aware, traditional or compare")
            }
            guard arguments.has(within) else { throw UsageError("--method needs --within TIME") }
            task["method"] = .string(choice)
        }
        if let choice = arguments.value(quietHours) {
            guard ["defer", "skip", "ignore"].contains(choice) else {
                throw UsageError("--quiet-hours \(choice): expected defer, skip or ignore")
            }
            task["quiet_hours"] = .string(choice)
        }
        if let number = arguments.value(rate) {
            guard let perSecond = Int(number), PushRate.allowed ~= perSecond else {
                throw UsageError("--rate \(number): expected devices a second, an integer from 1 to 1000000")
            }
            task["rate"] = .integer(Int64(perSecond))
        }
        if let choice = arguments.value(cap) {
            guard ["defer", "skip", "ignore"].contains(choice) else {
                throw UsageError("--cap \(choice): expected defer, skip or ignore")
            }
            task["cap"] = .string(choice)
        }
        if let key = arguments.value(replaces) {
            guard ReplacementKey.isAllowed(key) else {
                throw UsageError("--replaces \(OutsideText.excerpt(key)): expected \(ReplacementKey.rule)")
            }
            task["replaces"] = .string(key)
        }
        if arguments.has(label) { task["labels"] = try labels(arguments.values(label)).json }
        return .object(task)
    }

    private static func message(_ arguments: CommandArguments) throws(UsageError) -> JSONObject {
        var message = JSONObject()
        if let text = arguments.value(title) { message["title"] = .string(text) }
        if let text = arguments.value(body) { message["body"] = .string(text) }
        guard arguments.has(silent) != !message.names.isEmpty else {
            throw UsageError(
                arguments.has(silent)
                    ? "--silent cannot be combined with --title or --body"
                    : "no message given; use --title TEXT, --body TEXT or --silent")
        }
        if arguments.has(silent) { message["silent"] = .bool(true) }
        return message
    }

    private static func labels(_ words: [String]) throws(UsageError) -> TaskLabels {
        var labels = TaskLabels()
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, TaskLabels.isName(parts[0]), TaskLabels.isValue(parts[1]) else {
                throw UsageError(
                    "--label \(OutsideText.excerpt(word)): expected NAME=VALUE with a name of \(TaskLabels.nameRule), "
                        + "and a value of \(TaskLabels.valueRule)")
            }
            guard labels[parts[0]] == nil else {
                throw UsageError("--label \(parts[0]) is given twice; a task has one value for each name")
            }
            labels[parts[0]] = parts[1]
        }
        guard labels.all.count <= TaskLabels.countMaximum else {
            throw UsageError("--label: a task has at most \(TaskLabels.countMaximum) labels")
        }
        return labels
    }

    private static func texts(_ values: [String]) -> JSON {
        .array(values.map { .string($0) })
    }
}
