import Bus
import CommandKit

struct DeadList: Command {
    static let declaration = CommandDeclaration(
        "dead list", purpose: "list the dead-lettered messages, newest last",
        options: [limit, .json] + DeadFilter.options + [.bus, .data],
        notes: "REPLAYED shows whether the message was sent again. If it is dead-lettered again, it is listed twice.")

    private static let limit = CommandOption(
        "--limit", value: "N", meaning: "Number of newest messages to show (default: 50)")

    private let limit: Int
    private let isJSON: Bool
    private let filter: DeadFilter

    init(_ arguments: CommandArguments) throws(UsageError) {
        limit = try arguments.integer(DeadList.limit, default: 50, in: 1...100_000)
        isJSON = arguments.has(.json)
        filter = try DeadFilter(arguments)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        try await context.withBus { bus in try await run(on: bus, context.terminal) }
    }

    func run(on bus: any Bus, _ terminal: any Terminal) async throws -> Int32 {
        var newest = NewestLetters(limit: limit)
        var replayed: Set<DeadPosition> = []
        var firstForeign: DeadPosition?
        var foreignCount = 0
        try await bus.scanDead { message, record in
            switch record {
            case .letter(let letter) where filter.matches(letter):
                newest.add(ListedLetter(DeadPosition(of: message), deadLettered: message.timestamp, letter: letter))
            case .letter: break
            case .mark(let position): replayed.insert(position)
            case .foreign:
                foreignCount += 1
                if firstForeign == nil { firstForeign = DeadPosition(of: message) }
            }
            return true
        }
        let letters = newest.sorted
        if isJSON {
            for letter in letters { terminal.print(letter.json(isReplayed: replayed.contains(letter.position))) }
        } else if letters.isEmpty {
            terminal.print("no dead letters")
        } else {
            terminal.print(
                Table(
                    header: ListedLetter.header,
                    rows: letters.map { $0.row(isReplayed: replayed.contains($0.position)) }
                ))
        }
        if newest.count > letters.count {
            terminal.complain("showing the newest \(letters.count) of \(newest.count); use --limit N for more")
        }
        if let firstForeign {
            terminal.complain("other messages on dead: \(foreignCount); see carillon dead show \(firstForeign)")
        }
        return 0
    }
}
