import Apps
import PushModel
import ServiceKit

struct AppsRotate: Command {
    static let declaration = CommandDeclaration(
        "apps rotate", purpose: "gives an app fresh keys, and lets the old ones expire", operands: "NAME",
        options: [keep, AppsPlace.option],
        notes: """
            Each set of scopes that the app's keys have gets one fresh key, shown once. Keys that have expired already are
            taken out of the file. To revoke a key at once, rotate with --keep 0s, or take its entry out of the file.
            """)

    private static let keep = CommandOption(
        "--keep", value: "TIME", meaning: "How long the old keys stay valid, such as 12h or 0s; 7d unless told.")

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
                "\nA fresh key, shown this once, may \(AppsAdd.text(rotation.scopes)):\n\n  \(rotation.key.reveal())")
        }
        let replaced = rotations.map(\.replaced).reduce(0, +)
        if replaced > 0 { context.terminal.print("\n\(fate(of: replaced))") }
        return 0
    }

    private func fate(of count: Int) -> String {
        let keys = count == 1 ? "The old key" : "The \(count) old keys"
        guard keep > .zero else { return "\(keys) \(count == 1 ? "works" : "work") no longer" }
        return "\(keys) will work for another \(DurationText.print(keep)), unless less was left"
    }
}
