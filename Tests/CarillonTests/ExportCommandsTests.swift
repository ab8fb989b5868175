import Bus
import CommandKit
import Glibc
import MemoryBus
import PushModel
import RedisBus
import RedisClient
import ServiceKit
import TaskModel
import TestSupport
import Testing
import Topics

@testable import Carillon

/// The commands that print public topics, on the in-process bus and with a real Redis.
@Suite(.timeLimit(.minutes(3))) struct ExportCommandsTests {
    private let bus = MemoryBus(bytesMaximum: 40_000, time: SystemTimeSource(), random: SystemRandomSource())
    private let terminal = RecordedTerminal()
    private let stop = OneTimeEvent()

    private static func report(_ number: UInt64, app: String = "news") throws -> TaskReport {
        TaskReport(
            task: TaskID(high: 1, low: number), app: try AppID(app), dialect: .native, created: nil,
            closed: Timestamp(milliseconds: 1_767_225_600_000), isCancelled: false, lane: .fast, count: { _ in 0 })
    }

    private static func send(_ reports: [TaskReport], on bus: any Bus) async throws {
        let producer = try await bus.makeProducer(ProducerOptions())
        try await producer.send(reports.map { Topics.reports.message($0, key: $0.key) })
        await producer.close()
    }

    private static func lines(_ reports: [TaskReport]) -> Set<String> {
        Set(reports.map { String(decoding: $0.encoded(), as: UTF8.self) })
    }

    private func export(_ words: String..., on other: (any Bus)? = nil) async throws -> Int32 {
        let arguments = try CommandArguments(words, options: Reports.declaration.options)
        return try await TopicExport(of: Topics.reports.channel, arguments)
            .run(on: other ?? bus, terminal, until: stop)
    }

    /// Waits until the terminal has this many lines.
    private func awaitLines(_ count: Int) async throws -> Bool {
        try await waitUntil(within: .hangLimit) { terminal.printed.count >= count }
    }

    @Test func printsWhatIsStoredAndEnds() async throws {
        let reports = try (0..<20).map { try Self.report($0) }
        try await Self.send(reports, on: bus)
        #expect(try await export() == 0)
        #expect(Set(terminal.printed) == Self.lines(reports) && terminal.printed.count == 20)
        #expect(terminal.complaints == [])
    }

    @Test func anEmptyTopicEndsAtOnce() async throws {
        #expect(try await export() == 0)
        #expect(terminal.printed == [] && terminal.complaints == [])
    }

    @Test func selectsByAppAndTask() async throws {
        let reports = try [
            Self.report(1), Self.report(2), Self.report(3, app: "sport"), Self.report(4, app: "news.live"),
        ]
        try await Self.send(reports, on: bus)
        #expect(try await export("--app", "news", "--task", "\(reports[1].task)") == 0)
        #expect(Set(terminal.printed) == Self.lines([reports[1]]))
        let ofApp = RecordedTerminal()
        let arguments = try CommandArguments(["--app", "news"], options: Reports.declaration.options)
        _ = try await TopicExport(of: Topics.reports.channel, arguments).run(on: bus, ofApp, until: stop)
        #expect(Set(ofApp.printed) == Self.lines([reports[0], reports[1], reports[3]]))
    }

    @Test func endsAtTheLimit() async throws {
        try await Self.send(try (0..<20).map { try Self.report($0) }, on: bus)
        #expect(try await export("--limit", "3") == 0)
        #expect(terminal.printed.count == 3)
    }

    /// Goal: a message of another program neither stops the export nor spoils its lines.
    @Test func invalidMessagesAreCountedAndTextIsOneLine() async throws {
        let producer = try await bus.makeProducer(ProducerOptions())
        for text in ["no JSON", "[1]", "", "{\"app\":\n\"news\"}"] {
            try await producer.send([
                OutgoingMessage(channel: Topics.reports.channel, key: Array("k".utf8), value: Array(text.utf8))
            ])
        }
        #expect(try await export() == 0)
        #expect(terminal.printed == [#"{"app":"news"}"#])
        #expect(
            terminal.complaints == ["carillon: messages on reports that are no JSON objects, not printed: 3"])
    }

    /// Goal: what is there before is not printed, what comes later is, until the stop.
    @Test func followsFromNow() async throws {
        let reports = try (0..<3).map { try Self.report($0) }
        try await Self.send([reports[0]], on: bus)
        let opened = OpenedBus(bus: bus)
        async let code = export("--follow", on: opened)
        await opened.hasReader.wait()
        try await Self.send([reports[1]], on: bus)
        #expect(try await awaitLines(1))
        try await Self.send([reports[2]], on: bus)
        #expect(try await awaitLines(2))
        stop.happen()
        #expect(try await code == 0)
        #expect(Set(terminal.printed) == Self.lines([reports[1], reports[2]]))
    }

    /// Goal: messages that were removed unread are told, and the rest is printed. Method: a log that is much smaller than
    /// what is sent while the reader stands at its beginning.
    @Test func removedMessagesAreTold() async throws {
        try await Self.send([try Self.report(0)], on: bus)
        let opened = OpenedBus(bus: bus) { [bus] in
            try await Self.send(try (1..<300).map { try Self.report($0) }, on: bus)
        }
        async let code = export("--follow", "--from", "beginning", on: opened)
        let last = try Self.report(1_000)
        #expect(try await awaitLines(10))
        try await Self.send([last], on: bus)
        #expect(
            try await waitUntil(within: .hangLimit) { terminal.printed.contains { Self.lines([last]).contains($0) } })
        stop.happen()
        #expect(try await code == 0)
        let printed = terminal.printed.count
        #expect(
            terminal.complaints == [
                "carillon: messages of reports were removed before they were read",
                "carillon: messages of reports removed before they were read: \(301 - printed)",
            ])
    }

    @Test func anUnavailableBusIsReadAgain() async throws {
        let report = try Self.report(1)
        try await Self.send([report], on: bus)
        let failing = OpenedBus(bus: bus, failures: 2)
        #expect(try await export(on: failing) == 0)
        #expect(Set(terminal.printed) == Self.lines([report]))
        #expect(
            terminal.complaints == [
                "carillon: unavailable: no answer; retrying", "carillon: reports can be read again",
            ])
    }

    @Test(arguments: [
        (["--from", "now"], "--from now requires --follow"),
        (["--from", "yesterday"], "--from yesterday: expected beginning or now"),
        (["--task", "17"], "--task 17: expected the id of a task"),
    ])
    func mistakesAreNamed(words: [String], error: String) {
        #expect(throws: UsageError(error)) {
            _ = try Results(try CommandArguments(words, options: Results.declaration.options))
        }
    }

    /// Goal: with a real Redis the command prints what is stored, follows, and ends with 0 at Ctrl-C; a group of the bus
    /// keeps its progress.
    @Test func theProcessFollowsRedisUntilCtrlC() async throws {
        let server = try await RedisServer()
        let redis = RedisBus(
            redis: try RedisConfiguration(url: server.url), RedisBusConfiguration(),
            log: Log(service: "test", level: .error, sink: CollectingSink()), metrics: Metrics(),
            health: Health(time: SystemTimeSource()), time: SystemTimeSource(), random: SystemRandomSource())
        let reports = try (0..<30).map { try Self.report($0) }
        try await Self.send(Array(reports.prefix(20)), on: redis)
        let process = try ChildProcess(
            builtExecutable("carillon"), arguments: ["reports", "--follow", "--from", "beginning"],
            environment: ["CARILLON_BUS": server.url])
        #expect(try await waitUntil(within: .hangLimit) { process.lines.count == 20 })
        try await Self.send(Array(reports.suffix(10)), on: redis)
        #expect(try await waitUntil(within: .hangLimit) { process.lines.count == 30 })
        #expect(Set(process.lines) == Self.lines(reports))
        process.signal(SIGINT)
        #expect(await process.end() == .exited(0))
        await redis.close()
    }
}

/// Wraps a bus: reports its first reader after running a body, and lets the first reads of that reader fail.
private final class OpenedBus: Bus {
    let hasReader = OneTimeEvent()
    private let bus: any Bus
    private let failures: Int
    private let body: @Sendable () async throws -> Void

    init(bus: any Bus, failures: Int = 0, body: @escaping @Sendable () async throws -> Void = {}) {
        self.bus = bus
        self.failures = failures
        self.body = body
    }

    func makeProducer(_ options: ProducerOptions) async throws(BusError) -> any BusProducer {
        try await bus.makeProducer(options)
    }

    func makeConsumer(_ options: ConsumerOptions) async throws(BusError) -> any BusConsumer {
        try await bus.makeConsumer(options)
    }

    func makeLogReader(
        _ channel: Channel, _ options: LogReaderOptions
    ) async throws(BusError) -> any BusLogReader {
        let reader = try await bus.makeLogReader(channel, options)
        guard !hasReader.hasHappened else { return reader }
        do {
            try await body()
        } catch {
            throw BusError(.closed, message: "\(error)")
        }
        hasReader.happen()
        return FailingReader(reader, failures: failures)
    }

    func scan(_ channel: Channel, visit: (IncomingMessage) async throws -> Bool) async throws {
        try await bus.scan(channel, visit: visit)
    }

    func readiness() async -> Health.Readiness { await bus.readiness() }

    func close() async { await bus.close() }
}

private final class FailingReader: BusLogReader {
    private let reader: any BusLogReader
    private let failures: Monitor<Int>

    init(_ reader: any BusLogReader, failures: Int) {
        self.reader = reader
        self.failures = Monitor(failures)
    }

    var held: [Int32: Range<Int64>] { reader.held }

    func next() async throws(BusError) -> [IncomingMessage] {
        let fails = failures.change { failures in
            failures -= 1
            return failures >= 0
        }
        if fails { throw BusError(.unavailable, message: "no answer") }
        return try await reader.next()
    }

    func close() async { await reader.close() }
}
