import Bus
import CommandKit
import ServiceHost
import ServiceKit

struct DeadShow: Command {
    static let declaration = CommandDeclaration(
        "dead show", purpose: "show a dead-lettered message: reason, headers and value",
        operands: "PARTITION:OFFSET", options: [raw, .bus, .data],
        notes: """
            The value is printed as text if it is UTF-8, otherwise as hexadecimal. Anything that looks like a device
            token or a key is redacted, and a value that is not text is truncated, unless --raw is given.
            """)

    private static let raw = CommandOption(
        "--raw", meaning: "Show tokens and keys, and values that are not text in full")

    private let position: DeadPosition
    private let visible: VisibleBytes

    init(_ arguments: CommandArguments) throws(UsageError) {
        let positions = try DeadPosition.all(in: arguments.operands)
        guard positions.count == 1 else { throw UsageError("expected one PARTITION:OFFSET") }
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
            terminal.complain("carillon: no message at \(position) on dead; see carillon dead list")
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
        case .mark(let position): text += "Replay mark: \(position) was replayed.\n"
        case .foreign: text += "Not a dead letter: it has no dead-letter headers.\n"
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
