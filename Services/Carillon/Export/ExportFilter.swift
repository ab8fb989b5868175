import CommandKit
import JSONKit
import PushModel

/// Selects messages of a public topic by app and task, and makes the lines that are printed.
struct ExportFilter {
    static let options = [appOption, taskOption]

    private static let appOption = CommandOption("--app", value: "NAME", meaning: "Only messages of this app")
    private static let taskOption = CommandOption("--task", value: "TASK", meaning: "Only messages of this task")

    enum Verdict: Equatable {
        case line(String)
        case other
        /// No JSON object.
        case invalid
    }

    private let app: AppID?
    private let task: TaskID?

    init(_ arguments: CommandArguments) throws(UsageError) {
        app = try arguments.app(named: arguments.value(ExportFilter.appOption))
        let text = arguments.value(ExportFilter.taskOption)
        task = text.flatMap { TaskID($0) }
        if let text, task == nil { throw UsageError("--task \(text): expected the id of a task") }
    }

    func verdict(on value: [UInt8]) -> Verdict {
        guard let json = try? JSON(value), json.object != nil else { return .invalid }
        // The messages about Live Activities of an app are of its space.
        if let app, json["app"]?.text.flatMap({ try? AppID($0) })?.owner != app { return .other }
        if let task, json["task"]?.text.flatMap({ TaskID($0) }) != task { return .other }
        let isLine = !value.contains { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        return .line(isLine ? String(decoding: value, as: UTF8.self) : json.compactText)
    }
}
