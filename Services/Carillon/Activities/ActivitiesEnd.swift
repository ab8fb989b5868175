import CommandKit
import JSONKit
import ServiceKit

/// `carillon activities end`: ends a Live Activity.
struct ActivitiesEnd: Command {
    static let declaration = CommandDeclaration(
        "activities end", purpose: "end a Live Activity, with a last state or the newest one", operands: "ID",
        options: [state, dismiss, .json] + APIAccess.options,
        notes: """
            Phones show the last state for up to 4 hours. Example:

            carillon activities end order-7 --state '{"step": "delivered"}' --dismiss now

            \(APIAccess.notes)
            """)

    private static let state = CommandOption(
        "--state", value: "JSON", meaning: "The last ContentState, \(ObjectOption.forms) (default: the newest)")
    private static let dismiss = CommandOption(
        "--dismiss", value: "TIME",
        meaning: "When phones remove it from the screen: now, or a time such as 2026-12-24T18:00:00Z")

    private let operand: ActivityOperand
    private let state: ObjectOption?
    private let dismissal: String?

    init(_ arguments: CommandArguments) throws(UsageError) {
        operand = try ActivityOperand(arguments)
        state = try ObjectOption(ActivitiesEnd.state, in: arguments)
        dismissal = try arguments.value(ActivitiesEnd.dismiss).map { text throws(UsageError) in
            text == "now" ? text : try ActivityTime.text(text, option: ActivitiesEnd.dismiss)
        }
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let access = try operand.access(in: context)
        var end = JSONObject()
        end["content_state"] = try await state?.read()
        if let dismissal {
            end["dismissal_date"] = .string(dismissal == "now" ? "\(SystemTimeSource().now)" : dismissal)
        }
        let (body, terminal) = (JSON.object(end), context.terminal)
        let answer = try await TaskAPI.with(access) { api in
            try await api.end(operand.id, with: body, terminal: terminal)
        }
        terminal.print(
            operand.arguments.has(.json) ? answer.compactText : SentState(answer: answer).text(access))
        return 0
    }
}
