import Bus
import ServiceHost
import ServiceKit
import Topics

struct DeadReplay: Command {
    static let declaration = CommandDeclaration(
        "dead replay", purpose: "sends messages that were given up to their topics again, as they were",
        operands: "PARTITION:OFFSET… (or --all)", options: [all] + DeadFilter.options + [dryRun, yes, .bus],
        notes: """
            Once the messages are durable on their topics, a mark for each is written to dead. --all leaves out what has a
            mark, whichever filter it was replayed with; naming a position replays it again. A message that dies again
            gets a new position, and the next --all takes it, so mend the cause first.

            A replay that is cut off between a message and its mark sends that message once more the next time; every
            stage drops such repeats. The same holds for two replays at the same time.
            """)

    private static let all = CommandOption("--all", meaning: "Every message that was not replayed yet; asks first.")
    private static let dryRun = CommandOption("--dry-run", meaning: "Only say what would be sent where.")
    private static let yes = CommandOption("--yes", meaning: "Do not ask.")

    private enum Selection {
        case positions(Set<DeadPosition>)
        case all(DeadFilter)
    }

    private let selection: Selection
    private let isDryRun: Bool
    private let isAssured: Bool

    init(_ arguments: CommandArguments) throws(UsageError) {
        let positions = try DeadPosition.all(in: arguments.operands)
        let filter = try DeadFilter(arguments)
        let isAll = arguments.has(DeadReplay.all)
        guard isAll == positions.isEmpty else {
            throw UsageError(isAll ? "name positions or say --all, not both" : "say which: PARTITION:OFFSET, or --all")
        }
        guard isAll || filter.isEmpty else { throw UsageError("--channel and --reason go with --all") }
        selection = isAll ? .all(filter) : .positions(Set(positions))
        isDryRun = arguments.has(DeadReplay.dryRun)
        isAssured = arguments.has(DeadReplay.yes)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        try await context.withBus { bus in try await run(on: bus, context.terminal) }
    }

    func run(on bus: any Bus, _ terminal: any Terminal) async throws -> Int32 {
        switch selection {
        case .positions(let positions):
            return try await replay(positions, on: bus, terminal: terminal)
        case .all(let filter):
            let positions = try await unreplayed(filter, on: bus)
            guard !positions.isEmpty else {
                terminal.print("nothing to replay")
                return 0
            }
            guard try await isConfirmed(positions.count, terminal: terminal) else {
                terminal.complain("nothing was replayed")
                return ExitCode.failure
            }
            return try await replay(positions, on: bus, terminal: terminal)
        }
    }

    private func isConfirmed(_ count: Int, terminal: any Terminal) async throws(UsageError) -> Bool {
        if isAssured || isDryRun { return true }
        guard let answer = await terminal.confirm("Replay \(Replayer.messages(count))?") else {
            throw UsageError("nobody can be asked here; --yes replays \(Replayer.messages(count)) without asking")
        }
        return answer
    }

    /// Marks lie anywhere behind their letters, so all of the topic is read before the first letter is sent. Positions
    /// are kept and not the letters: those may be larger than memory.
    private func unreplayed(_ filter: DeadFilter, on bus: any Bus) async throws -> Set<DeadPosition> {
        var positions: Set<DeadPosition> = []
        var replayed: Set<DeadPosition> = []
        try await bus.scanDead { message, record in
            switch record {
            case .letter(let letter): if filter.matches(letter) { positions.insert(DeadPosition(of: message)) }
            case .mark(let position): replayed.insert(position)
            case .foreign: break
            }
            return true
        }
        return positions.subtracting(replayed)
    }

    /// Only the positions known before are sent: what dies again meanwhile must not be replayed in a circle.
    private func replay(_ positions: Set<DeadPosition>, on bus: any Bus, terminal: any Terminal) async throws -> Int32 {
        var waiting = positions
        var replayer = Replayer(try await bus.makeProducer(ProducerOptions()), terminal: terminal, isDryRun: isDryRun)
        do {
            try await bus.scanDead { message, record in
                let position = DeadPosition(of: message)
                guard waiting.remove(position) != nil else { return true }
                try await replayer.take(position, record: record)
                return !waiting.isEmpty
            }
            try await replayer.flush()
        } catch {
            terminal.print(replayer.summary)
            await replayer.close()
            throw error
        }
        await replayer.close()
        for position in waiting.sorted() { replayer.refuse(position, reason: "nothing lies there") }
        terminal.print(replayer.summary)
        return replayer.failures == 0 ? 0 : ExitCode.failure
    }
}
