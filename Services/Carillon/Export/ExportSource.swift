import Bus
import CommandKit
import ServiceKit
import Topics

/// The messages of a topic for one export. Continues where it was after the bus was unavailable, and counts messages that
/// were removed before they were read. Used by one task.
final class ExportSource {
    /// Without --follow: how long the bus may be unavailable or silent.
    private static let patience = Duration.seconds(30)
    private static let retries = Backoff(first: .milliseconds(200), longest: .seconds(5))

    private let bus: any Bus
    private let channel: Channel
    private let start: LogReaderOptions.Start
    private let isFollowing: Bool
    private let terminal: any Terminal
    private let time: any TimeSource

    private var reader: (any BusLogReader)?
    /// The next offset of each partition; nil before the first reader.
    private var positions: [Int32: Int64]?
    /// Where each partition ended when the export began.
    private var ends: [Int32: Int64] = [:]
    private var removedCount: Int64 = 0
    private var failures = 0
    private var lastProgress: Duration

    init(
        _ bus: any Bus, channel: Channel, start: LogReaderOptions.Start, isFollowing: Bool, terminal: any Terminal,
        time: any TimeSource
    ) {
        self.bus = bus
        self.channel = channel
        self.start = start
        self.isFollowing = isFollowing
        self.terminal = terminal
        self.time = time
        lastProgress = time.uptime
    }

    /// True once everything is read that was there when the export began. Never if it follows the topic.
    var isAtEnd: Bool {
        !isFollowing && positions.map { positions in ends.allSatisfy { positions[$0] ?? 0 >= $1 } } == true
    }

    /// Throws if the bus is unavailable: more probably its address is wrong than that it comes back.
    func open() async throws {
        reader = try await makeReader(from: positions.map { .positions($0) } ?? start)
    }

    /// Waits about a second for messages, then returns none. Waits for an unavailable bus as well.
    func next(until stop: OneTimeEvent) async throws -> [IncomingMessage] {
        do throws(BusError) {
            let page = try await page()
            noteSuccess()
            if !page.isEmpty { lastProgress = time.uptime }
            return accept(page)
        } catch {
            try await recover(from: error, until: stop)
            return []
        }
    }

    func close() async {
        await reader?.close()
        reader = nil
    }

    func complainOfRemoved() {
        guard removedCount > 0 else { return }
        terminal.complain("carillon: messages of \(channel.name) removed before they were read: \(removedCount)")
    }

    private func page() async throws(BusError) -> [IncomingMessage] {
        guard let reader else {
            reader = try await makeReader(from: positions.map { .positions($0) } ?? start)
            return []
        }
        let page = try await reader.next()
        if page.isEmpty, !isFollowing { try await skipRemoved() }
        return page
    }

    /// Nothing more comes of messages that were removed.
    private func skipRemoved() async throws(BusError) {
        let now = try await bus.makeLogReader(channel, LogReaderOptions(start: .end))
        note(now.held)
        await now.close()
        guard time.uptime - lastProgress < ExportSource.patience else {
            throw BusError(.unavailable, message: "no messages of \(channel.name) although it holds some")
        }
    }

    private func makeReader(from start: LogReaderOptions.Start) async throws(BusError) -> any BusLogReader {
        let options = LogReaderOptions(start: start, skipsRemoved: true)
        let reader = try await bus.makeLogReader(channel, options)
        if positions == nil {
            positions = options.beginnings(in: reader.held)
            ends = reader.held.mapValues(\.upperBound)
        }
        note(reader.held)
        return reader
    }

    /// Moves the positions to what the topic holds now.
    private func note(_ held: [Int32: Range<Int64>]) {
        for (partition, offsets) in held {
            let position = positions?[partition] ?? offsets.lowerBound
            if position > offsets.upperBound {
                terminal.complain(
                    "carillon: the bus lost partition \(partition) of \(channel.name); reading its new messages")
                positions?[partition] = offsets.lowerBound
                ends[partition] = offsets.upperBound
            } else {
                countRemoved(offsets.lowerBound - position)
                positions?[partition] = max(position, offsets.lowerBound)
            }
        }
    }

    private func accept(_ page: [IncomingMessage]) -> [IncomingMessage] {
        page.filter { message in
            let partition = message.partition.number
            countRemoved(message.offset - (positions?[partition] ?? message.offset))
            positions?[partition] = message.offset + 1
            return isFollowing || message.offset < ends[partition] ?? 0
        }
    }

    private func countRemoved(_ count: Int64) {
        guard count > 0 else { return }
        if removedCount == 0 {
            terminal.complain("carillon: messages of \(channel.name) were removed before they were read")
        }
        removedCount += count
    }

    private func recover(from error: BusError, until stop: OneTimeEvent) async throws {
        switch error.code {
        case .replaced:
            await close()
        case .unavailable:
            failures += 1
            if failures == 1 { terminal.complain("carillon: \(error); retrying") }
            guard isFollowing || time.uptime - lastProgress < ExportSource.patience else { throw error }
            let delay = ExportSource.retries.delay(afterAttempt: failures, random: SystemRandomSource())
            _ = await stop.wait(atMost: delay, time: time)
        case .full, .tooLarge, .refused, .closed: throw error
        }
    }

    private func noteSuccess() {
        if failures > 0 { terminal.complain("carillon: \(channel.name) can be read again") }
        failures = 0
    }
}
