import Bus
import ServiceHost
import ServiceKit

struct DeadShow: Command {
    static let declaration = CommandDeclaration(
        "dead show", purpose: "shows one message that was given up: its story, its headers and its value",
        operands: "PARTITION:OFFSET", options: [raw, .bus],
        notes: """
            The value is shown as text where it is UTF-8, else as hexadecimal. What looks like a device token or a key is
            redacted, and a value that is no text is cut, unless --raw is given.
            """)

    private static let raw = CommandOption(
        "--raw", meaning: "Show tokens and keys too, and all of a value that is no text.")

    private let position: DeadPosition
    private let visible: VisibleBytes

    init(_ arguments: CommandArguments) throws(UsageError) {
        let positions = try DeadPosition.all(in: arguments.operands)
        guard positions.count == 1 else { throw UsageError("say which one: PARTITION:OFFSET") }
        position = positions[0]
        visible = VisibleBytes(isRaw: arguments.has(DeadShow.raw))
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
            terminal.complain("carillon: nothing lies at \(position) of dead; carillon dead list shows what does")
            return ExitCode.failure
        }
        terminal.print(text(of: found))
        return 0
    }

    private func text(of message: IncomingMessage) -> String {
        var text = ""
        var headers = message.headers
        switch DeadRecord(message) {
        case .letter(let letter):
            text += Table(rows: story(letter) + [["died", message.timestamp.description]]).text
            headers = letter.headers
        case .mark(let position): text += "This says that \(position) was replayed.\n"
        case .foreign: text += "This is no dead letter: its headers tell no story.\n"
        }
        if let key = message.key { text += "\nKey:\n\n\(visible.print(key))\n" }
        if !headers.isEmpty {
            text +=
                "\nHeaders:\n\n" + Table(rows: headers.map { [visible.print($0.name), visible.print($0.value)] }).text
        }
        return text + "\nValue, \(message.value.count) bytes:\n\n\(visible.print(message.value))"
    }

    private func story(_ letter: DeadLetter) -> [[String]] {
        [
            ["channel", visible.print(letter.channel)],
            ["partition", "\(letter.partition)"],
            ["offset", "\(letter.offset)"],
            ["group", visible.print(letter.group)],
            ["reason", letter.reason.rawValue],
            ["detail", visible.print(letter.detail)],
            ["attempts", "\(letter.attempts)"],
            ["first seen", letter.firstSeen.description],
        ]
    }
}
