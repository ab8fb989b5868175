import CommandKit
import Glibc
import JSONKit
import ServiceKit

/// `carillon push`: posts a task.
struct Push: Command {
    static let declaration = CommandDeclaration(
        "push", purpose: "send a push notification",
        options: PushOptions.options + [file, dryRun, watch, .json] + APIAccess.options,
        notes: """
            \(APIAccess.notes)

            If the API does not respond, the request is retried for 30 seconds; this never creates a second task.

            If the pipeline finds within a second that the task addresses no device, a warning says what to check.

            Exit codes: 0 if the task is durable, even if it addresses no device, 1 if it was rejected or the API cannot be reached; with --watch those
            of carillon watch.
            """)

    private static let file = CommandOption(
        "--file", value: "FILE",
        meaning:
            "Task as JSON in the format of POST /v1/tasks, instead of the options above; - reads standard input")
    private static let dryRun = CommandOption(
        "--dry-run", meaning: "Print the number of matching devices and send nothing")
    private static let watch = CommandOption(
        "--watch", meaning: "Follow the task until it is closed, like carillon watch")
    private static let fileBytesMaximum = 1 << 20

    private let arguments: CommandArguments
    private let file: String?
    private let draft: JSON?
    private let isDryRun: Bool
    private let isWatching: Bool
    private let isJSON: Bool

    init(_ arguments: CommandArguments) throws(UsageError) {
        self.arguments = arguments
        file = arguments.value(Push.file)
        isDryRun = arguments.has(Push.dryRun)
        isWatching = arguments.has(Push.watch)
        isJSON = arguments.has(.json)
        guard !isDryRun || !isWatching else { throw UsageError("--watch cannot be combined with --dry-run") }
        guard file == nil || !PushOptions.isGiven(arguments) else {
            throw UsageError("--file contains the whole task; remove the options that describe one")
        }
        draft = file == nil ? try PushOptions.task(arguments) : nil
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let access = try APIAccess(arguments, in: context)
        let task = try await task()
        guard !isWatching || !Push.isForEachUser(task) else {
            throw UsageError("--watch follows one task; with a time to deliver within, each user gets one")
        }
        return try await TaskAPI.with(access) { api in
            if isDryRun {
                show(devices: try await api.count(task), context.terminal)
                return 0
            }
            let random = SystemRandomSource()
            let key = random.hexadecimal() + random.hexadecimal()
            let tasks = try await TaskAPI.retrying(on: [.away], terminal: context.terminal, time: SystemTimeSource()) {
                try await api.post(task, idempotencyKey: key)
            }
            for task in tasks { context.terminal.print(isJSON ? task.json : task.line) }
            let id = tasks[0].id
            guard !isWatching else {
                return try await Watcher(
                    api, terminal: context.terminal, isJSON: isJSON, task: task, command: access.command
                ).watch(id)
            }
            if !isJSON { context.terminal.print("follow it with: \(access.command("watch \(id)"))") }
            let look = FirstLook(api, time: SystemTimeSource())
            if tasks.count == 1, await look.findsNoDevice(for: id) {
                context.terminal.complain(warning: UnmatchedTask(task, command: access.command).warning)
            }
            return 0
        }
    }

    private static func isForEachUser(_ task: JSON) -> Bool {
        task["deliver_within"] != nil && (task["users"]?.elements?.count ?? 0) > 1
    }

    private func task() async throws -> JSON {
        if let draft { return draft }
        let name = file ?? "-"
        let path = name == "-" ? "/dev/stdin" : name
        let bytes = await onNativeThread("task-file") { SmallFile.read(path, bytesMaximum: Push.fileBytesMaximum) }
        guard let bytes else {
            throw UsageError("--file \(name): cannot read it, or it exceeds \(ByteText.print(Push.fileBytesMaximum))")
        }
        do throws(JSONError) {
            return try JSON(bytes)
        } catch {
            throw UsageError("--file \(name): \(error)")
        }
    }

    private func show(devices: Int, _ terminal: any Terminal) {
        if isJSON {
            terminal.print(JSONText.object { $0.member("devices", devices) })
        } else {
            terminal.print("would be sent to \(devices == 1 ? "1 device" : "\(devices) devices")")
        }
    }
}
