import CommandKit
import JSONKit

/// `carillon activities update`: sends a new state to the phones of a Live Activity.
struct ActivitiesUpdate: Command {
    static let declaration = CommandDeclaration(
        "activities update", purpose: "send a new state to the phones of a Live Activity", operands: "ID",
        options: [state, alertTitle, alertBody, priority, stale, .json] + APIAccess.options,
        notes: """
            Phones get one state a second: updates within a second are sent as one, the newest, by the same task.
            Example:

            carillon activities update order-7 --state '{"step": "baking"}'

            \(APIAccess.notes)
            """)

    private static let state = CommandOption(
        "--state", value: "JSON", meaning: "The app's ContentState, whole, \(ObjectOption.forms); required")
    private static let alertTitle = CommandOption(
        "--alert-title", value: "TEXT", meaning: "Title of an alert, which lights up the screen")
    private static let alertBody = CommandOption("--alert-body", value: "TEXT", meaning: "Body of the alert")
    private static let priority = CommandOption(
        "--priority", value: "NAME",
        meaning: "high or normal (default: high with an alert, else normal, which Apple does not count)")
    private static let stale = CommandOption(
        "--stale", value: "TIME", meaning: "When the state is out of date, such as 2026-12-24T18:00:00Z")

    private let operand: ActivityOperand
    private let update: JSONObject
    private let state: ObjectOption

    init(_ arguments: CommandArguments) throws(UsageError) {
        operand = try ActivityOperand(arguments)
        guard let state = try ObjectOption(ActivitiesUpdate.state, in: arguments) else {
            throw UsageError("no state given; use --state JSON with the app's whole ContentState")
        }
        self.state = state
        update = try ActivitiesUpdate.update(arguments)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let access = try operand.access(in: context)
        var update = update
        update["content_state"] = try await state.read()
        let (body, terminal) = (JSON.object(update), context.terminal)
        let answer = try await TaskAPI.with(access) { api in
            try await api.update(operand.id, with: body, terminal: terminal)
        }
        terminal.print(
            operand.arguments.has(.json) ? answer.compactText : SentState(answer: answer).text(access))
        return 0
    }

    private static func update(_ arguments: CommandArguments) throws(UsageError) -> JSONObject {
        var update = JSONObject()
        update["alert"] = .alert(title: arguments.value(alertTitle), body: arguments.value(alertBody))
        if let name = arguments.value(priority) {
            guard ["high", "normal"].contains(name) else {
                throw UsageError("--priority \(name): expected high or normal")
            }
            update["priority"] = .string(name)
        }
        if let time = arguments.value(stale) {
            update["stale_date"] = .string(try ActivityTime.text(time, option: stale))
        }
        return update
    }
}
