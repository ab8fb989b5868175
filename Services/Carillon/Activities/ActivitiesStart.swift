import CommandKit
import JSONKit
import PushModel
import ServiceKit

/// `carillon activities start`: starts a Live Activity on devices.
struct ActivitiesStart: Command {
    static let declaration = CommandDeclaration(
        "activities start", purpose: "start a Live Activity on the devices of a target", operands: "TYPE",
        options: TargetOptions.options + [id, state, attributes, title, body, fallback, mirror, channel, .json]
            + APIAccess.options,
        notes: """
            TYPE is the name of the app's ActivityAttributes in Swift. The activity starts on devices that registered a
            push-to-start token for it. Example:

            carillon activities start OrderAttributes --user ada --id order-7 --attributes '{"number": 7}' \\
              --state '{"step": "received"}' --title "Your order" --fallback "We have received your order."

            \(APIAccess.notes)
            """)

    private static let id = CommandOption(
        "--id", value: "ID", meaning: "Name of the activity, such as order-7 (default: one is made and printed)")
    private static let state = CommandOption(
        "--state", value: "JSON", meaning: "The app's ContentState \(ObjectOption.forms) (default: {})")
    private static let attributes = CommandOption(
        "--attributes", value: "JSON",
        meaning: "What does not change while it runs, without carillon, \(ObjectOption.forms) (default: {})")
    private static let title = CommandOption(
        "--title", value: "TEXT", meaning: "Title of the alert, which Apple requires: --title, --body or both")
    private static let body = CommandOption("--body", value: "TEXT", meaning: "Body of the alert")
    private static let fallback = CommandOption(
        "--fallback", value: "TEXT",
        meaning: "Body of the notification, under --title, for devices on which the activity cannot be started")
    private static let mirror = CommandOption(
        "--mirror", meaning: "Send each state as data to Android and web devices of the target too")
    private static let channel = CommandOption(
        "--channel", meaning: "Update phones with iOS 18 over a channel, with one request to Apple for each state")

    private let arguments: CommandArguments
    private let activity: JSONObject
    private let state: ObjectOption?
    private let attributes: ObjectOption?

    init(_ arguments: CommandArguments) throws(UsageError) {
        self.arguments = arguments
        activity = try ActivitiesStart.activity(arguments)
        state = try ObjectOption(ActivitiesStart.state, in: arguments)
        attributes = try ObjectOption(ActivitiesStart.attributes, in: arguments)
        guard state?.isStandardInput != true || attributes?.isStandardInput != true else {
            throw UsageError("--state and --attributes cannot both be -; put one of them into a file and use @FILE")
        }
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let access = try APIAccess(arguments, in: context)
        let activity = try await complete()
        let terminal = context.terminal
        let answer = try await TaskAPI.with(access) { try await $0.start(activity, terminal: terminal) }
        if arguments.has(.json) {
            terminal.print(answer.compactText)
            return 0
        }
        let sent = SentState(answer: answer)
        terminal.print("activity \(sent.line("id") ?? "")\n" + sent.text(access))
        for warning in answer["warnings"]?.elements ?? [] {
            guard let detail = SentState(answer: warning).line("detail") else { continue }
            terminal.complain("carillon: \(detail)")
        }
        return 0
    }

    /// With what is read from files.
    private func complete() async throws -> JSON {
        var activity = activity
        activity["content_state"] = try await state?.read() ?? .object(JSONObject())
        activity["attributes"] = try await attributes?.read()
        return .object(activity)
    }

    private static func activity(_ arguments: CommandArguments) throws(UsageError) -> JSONObject {
        let type = try arguments.operand("type, the name of the app's ActivityAttributes")
        var activity = try TargetOptions.target(arguments)
        do throws(InvalidValueError) {
            activity["type"] = .string(try ActivityType(type).text)
        } catch {
            throw UsageError("type \(OutsideText.excerpt(type)): \(error)")
        }
        if let text = arguments.value(id) {
            do throws(InvalidValueError) {
                activity["id"] = .string(try ActivityID(text).text)
            } catch {
                throw UsageError("--id \(OutsideText.excerpt(text)): \(error)")
            }
        }
        guard let alert = JSON.alert(title: arguments.value(title), body: arguments.value(body)) else {
            throw UsageError("no alert given, without which Apple starts no activity; use --title TEXT or --body TEXT")
        }
        activity["alert"] = alert
        activity["fallback"] = arguments.value(fallback).flatMap { JSON.alert(title: arguments.value(title), body: $0) }
        if arguments.has(mirror) { activity["mirror"] = .bool(true) }
        if arguments.has(channel) { activity["updates"] = .string("channel") }
        return activity
    }
}
