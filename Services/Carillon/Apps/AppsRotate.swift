import Apps
import CommandKit
import PushModel
import ServiceKit

struct AppsRotate: Command {
    static let declaration = CommandDeclaration(
        "apps rotate", purpose: "create new keys for an app and let the old ones expire", operands: "NAME",
        options: [keep, .data],
        notes: """
            Creates one key, shown only once, for each distinct set of rights of the app's keys. Keys that have already
            expired are removed from the file. To revoke a key immediately, rotate with --keep 0s or delete its entry.
            """)

    private static let keep = CommandOption(
        "--keep", value: "TIME", meaning: "How long the old keys remain valid, such as 12h or 0s (default: 7d)")

    private let app: AppID
    private let place: AppsPlace
    private let keep: Duration

    init(_ arguments: CommandArguments) throws(UsageError) {
        app = try arguments.app()
        place = AppsPlace(arguments)
        keep = try arguments.duration(
            AppsRotate.keep, default: .seconds(7 * 86_400), in: .zero ... .seconds(365 * 86_400))
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let editor = AppEditor(try place.configuration(context), now: SystemTimeSource().now)
        let rotated = await onNativeThread("apps") { [app, keep] in
            Result { () throws(AppsError) in try editor.rotate(app, keeping: keep) }
        }
        let rotations = try rotated.get()
        context.terminal.print("changed \(editor.path(of: app))")
        for rotation in rotations {
            context.terminal.print(
                "\nNew key (\(AppsAdd.text(rotation.rights))), shown only once:\n\n  \(rotation.key.reveal())")
        }
        let replaced = rotations.map(\.replaced).reduce(0, +)
        if replaced > 0 { context.terminal.print("\n\(outcome(of: replaced))") }
        return 0
    }

    private func outcome(of count: Int) -> String {
        let keys = count == 1 ? "The old key" : "The \(count) old keys"
        guard keep > .zero else { return "\(keys) \(count == 1 ? "is" : "are") no longer valid" }
        return "\(keys) will expire in \(DurationText.print(keep)) at the latest"
    }
}
