import Bus
import CommandKit
import ServiceKit
import Topics

/// Prints the messages of a public topic, one JSON line each, without a consumer group.
struct TopicExport {
    static func declaration(_ name: String, purpose: String, notes: String) -> CommandDeclaration {
        CommandDeclaration(
            name, purpose: purpose, options: [follow, from] + ExportFilter.options + [limitOption, .bus, .data],
            notes: """
                \(notes)

                Without --follow the command ends at the messages that were on the topic when it began. With --follow it
                goes on until Ctrl-C, which ends it with 0; while the bus is unavailable it retries. A message may repeat
                (drop repeats by id), and messages of different tasks may be out of order. Reading changes nothing on the
                bus. If messages were removed before they were read, a warning tells how many.
                """)
    }

    private static let follow = CommandOption("--follow", meaning: "Go on with the messages that come later")
    private static let from = CommandOption(
        "--from", value: "beginning|now",
        meaning: "Where to begin (default: beginning, with --follow now)")
    private static let limitOption = CommandOption("--limit", value: "N", meaning: "End after N lines")

    private let channel: Channel
    private let filter: ExportFilter
    private let limit: Int
    private let isFollowing: Bool
    private let start: LogReaderOptions.Start

    init(of channel: Channel, _ arguments: CommandArguments) throws(UsageError) {
        self.channel = channel
        filter = try ExportFilter(arguments)
        limit = try arguments.integer(TopicExport.limitOption, default: .max, in: 1 ... .max)
        isFollowing = arguments.has(TopicExport.follow)
        switch arguments.value(TopicExport.from) {
        case nil: start = isFollowing ? .end : .oldest
        case "beginning": start = .oldest
        case "now":
            guard isFollowing else { throw UsageError("--from now requires --follow") }
            start = .end
        case .some(let other): throw UsageError("--from \(other): expected beginning or now")
        }
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let stop = OneTimeEvent()
        if isFollowing {
            let signals = SignalListener.install()
            Task {
                _ = await signals.stopRequest()
                stop.happen()
            }
        }
        return try await context.withBus { bus in
            try await run(on: bus, context.terminal, until: stop)
        }
    }

    func run(
        on bus: any Bus, _ terminal: any Terminal, until stop: OneTimeEvent, time: any TimeSource = SystemTimeSource()
    ) async throws -> Int32 {
        let source = ExportSource(
            bus, channel: channel, start: start, isFollowing: isFollowing, terminal: terminal, time: time)
        var printer = ExportPrinter(filter: filter, limit: limit, terminal: terminal)
        do {
            try await source.open()
            while !stop.hasHappened, !printer.isFull, !source.isAtEnd {
                printer.print(try await source.next(until: stop))
            }
        } catch {
            await source.close()
            throw error
        }
        await source.close()
        if printer.invalidCount > 0 {
            terminal.complain(
                "carillon: messages on \(channel.name) that are no JSON objects, not printed: \(printer.invalidCount)")
        }
        source.complainOfRemoved()
        return 0
    }
}

/// Prints the messages that fit, up to a limit.
private struct ExportPrinter {
    private(set) var invalidCount = 0
    private let filter: ExportFilter
    private let terminal: any Terminal
    private var rest: Int

    var isFull: Bool { rest == 0 }

    init(filter: ExportFilter, limit: Int, terminal: any Terminal) {
        self.filter = filter
        self.terminal = terminal
        rest = limit
    }

    mutating func print(_ messages: [IncomingMessage]) {
        var lines: [String] = []
        for message in messages where rest > 0 {
            switch filter.verdict(on: message.value) {
            case .line(let line):
                lines.append(line)
                rest -= 1
            case .other: break
            case .invalid: invalidCount += 1
            }
        }
        if !lines.isEmpty { terminal.print(lines.joined(separator: "\n")) }
    }
}
