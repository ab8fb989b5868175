import Bus
import CommandKit
import ServiceHost

struct DeadShow: Command {
    static let declaration = CommandDeclaration(
        "dead show", purpose: "show a dead-lettered message: reason, headers and value",
        operands: "PARTITION:OFFSET", options: [raw, .json, .bus, .data],
        notes: """
            The value is printed as text if it is UTF-8, otherwise as hexadecimal. Anything that looks like a device
            token or a key is redacted, and a value that is not text is truncated, unless --raw is given.
            """)

    private static let raw = CommandOption(
        "--raw", meaning: "Show tokens and keys, and values that are not text in full")

    private let position: DeadPosition
    private let visible: VisibleBytes
    private let isJSON: Bool

    init(_ arguments: CommandArguments) throws(UsageError) {
        let positions = try DeadPosition.all(in: arguments.operands)
        guard positions.count == 1 else { throw UsageError("expected one PARTITION:OFFSET") }
        position = positions[0]
        visible = VisibleBytes(isRaw: arguments.has(DeadShow.raw))
        isJSON = arguments.has(.json)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        try await context.withBus { bus in try await run(on: bus, context.terminal) }
    }

    func run(on bus: any Bus, _ terminal: any Terminal) async throws -> Int32 {
        var found: IncomingMessage?
        try await bus.scanDead { message, _ in
            if DeadPosition(of: message) == position { found = message }
            return found == nil
        }
        guard let found else {
            terminal.complain(error: "carillon: no message at \(position) on dead; see carillon dead list")
            return ExitCode.failure
        }
        let letter = ShownLetter(message: found, visible: visible)
        terminal.print(isJSON ? letter.json : letter.text)
        return 0
    }
}
