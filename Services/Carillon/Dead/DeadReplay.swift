import Bus
import CommandKit
import ServiceHost
import ServiceKit
import Topics

struct DeadReplay: Command {
    static let declaration = CommandDeclaration(
        "dead replay", purpose: "send dead-lettered messages to their topics again, unchanged",
        operands: "PARTITION:OFFSET… (or --all)", options: [all] + DeadFilter.options + [dryRun, yes, .bus, .data],
        notes: """
            Once the messages are durable on their topics, a mark for each is written to dead. --all skips marked
            messages, whichever filter they were replayed with; a message given by position is replayed again. A message
            that is dead-lettered again gets a new position and is part of the next --all, so fix the cause first.

            If a replay is interrupted between a message and its mark, the next replay sends that message again; every
            stage drops such duplicates. The same applies to two concurrent replays.
            """)

    private static let all = CommandOption(
        "--all", meaning: "Replay every message not replayed yet, after confirmation")
    private static let dryRun = CommandOption("--dry-run", meaning: "Print what would be sent where, and send nothing")
    private static let yes = CommandOption("--yes", meaning: "Do not ask for confirmation")

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
            throw UsageError(isAll ? "give positions or --all, not both" : "expected PARTITION:OFFSET or --all")
        }
        guard isAll || filter.isEmpty else { throw UsageError("--channel and --reason require --all") }
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
            throw UsageError("no terminal for confirmation; use --yes to replay \(Replayer.messages(count))")
        }
        return answer
    }

    /// A mark may be anywhere after its letter, so the whole topic is read before the first letter is sent. Only
    /// positions are kept in memory, since the letters may exceed it.
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

    /// Sends only positions known before: a message dead-lettered again meanwhile must not be replayed in a loop.
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
        for position in waiting.sorted() { replayer.refuse(position, reason: "no message at this position") }
        terminal.print(replayer.summary)
        return replayer.failures == 0 ? 0 : ExitCode.failure
    }
}
