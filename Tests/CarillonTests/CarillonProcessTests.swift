import Bus
import KafkaBus
import RedisBus
import RedisClient
import ServiceKit
import TestSupport
import Testing
import Topics

/// The command as an operator runs it, with real servers.
@Suite(.timeLimit(.minutes(5))) struct CarillonProcessTests {
    private func carillon(
        _ arguments: String..., bus: String
    ) async throws -> (ending: ChildProcess.Ending?, lines: [String]) {
        let process = try ChildProcess(
            builtExecutable("carillon"), arguments: arguments,
            environment: ["CARILLON_BUS": bus, "CARILLON_KAFKA_FETCH_WAIT_MAX_MS": "10"])
        // The process may exit before its last line has been read; the end of output comes after it.
        await process.line { _ in false }
        return (await process.end(), process.lines)
    }

    private func redisBus(_ server: RedisServer) throws -> RedisBus {
        RedisBus(
            redis: try RedisConfiguration(url: server.url), RedisBusConfiguration(),
            log: Log(service: "test", level: .error, sink: CollectingSink()), metrics: Metrics(),
            health: Health(time: SystemTimeSource()), time: SystemTimeSource(), random: SystemRandomSource())
    }

    /// `script` provides a terminal. Returns the last line shown on it.
    private func replayAtTerminal(answering answer: String, _ server: RedisServer) async throws -> String? {
        let process = try ChildProcess(
            "script",
            arguments: ["--quiet", "--command", "\(builtExecutable("carillon")) dead replay --all", "/dev/null"],
            environment: ["CARILLON_BUS": server.url, "SHELL": "/bin/sh"])
        #expect(await process.line { $0.hasPrefix("Replay 1 message? [y/N]") } != nil)
        process.send(answer)
        await process.line { _ in false }
        return process.lines.last.map { String($0.prefix { !$0.isNewline }) }
    }

    /// Runs a worker over `schedules` until `until` returns.
    private func withWaiter(
        on bus: RedisBus, logging sink: some LogSink, handling body: @escaping @Sendable ([String]) throws -> Void,
        until isDone: () async -> Void
    ) async throws {
        let channel = Topics.schedules.channel
        let time = SystemTimeSource()
        let worker = Worker(
            channel: channel, group: "waiter", handler: Waiter(body: body), options: WorkerOptions(),
            consumer: try await bus.makeConsumer(ConsumerOptions(channel: channel, group: "waiter")),
            producer: try await bus.makeProducer(ProducerOptions()),
            environment: WorkerEnvironment(
                time: time, random: SystemRandomSource(), log: Log(service: "waiter", sink: sink),
                metrics: Metrics(), health: Health(time: time)))
        try await withRunning(worker) { await isDone() }
    }

    /// A message is poisoned by a worker, listed, shown and replayed by the command, and handled by a fixed worker.
    @Test func aDeadMessageGoesBackToWork() async throws {
        let server = try await RedisServer()
        let bus = try redisBus(server)
        let producer = try await bus.makeProducer(ProducerOptions())
        try await producer.send([
            OutgoingMessage(channel: Topics.schedules.channel, key: Array("t1".utf8), value: Array("outcome".utf8))
        ])

        let buried = OneTimeEvent()
        try await withWaiter(on: bus, logging: BurialSink(buried: buried)) { _ in
            throw PoisonMessageError("waiter is broken")
        } until: {
            await buried.wait()
        }

        let listed = try await carillon("dead", "list", bus: server.url)
        #expect(listed.ending == .exited(0))
        #expect(listed.lines.count == 2)
        #expect(listed.lines.last?.hasPrefix("0:0 ") == true)
        #expect(listed.lines.last?.contains("schedules  poison") == true)

        let shown = try await carillon("dead", "show", "0:0", bus: server.url)
        #expect(shown.ending == .exited(0))
        #expect(shown.lines.contains("detail      waiter is broken"))
        #expect(shown.lines.last == "outcome")

        let refused = try await carillon("dead", "replay", "--all", bus: server.url)
        #expect(refused.ending == .exited(64))
        #expect(try await replayAtTerminal(answering: "n", server) == "nothing was replayed")
        #expect(try await replayAtTerminal(answering: "y", server) == "replayed 1 message (1 to schedules)")
        let again = try await carillon("dead", "replay", "--all", "--yes", bus: server.url)
        #expect(again.lines == ["nothing to replay"])

        let taken = OneTimeEvent()
        try await withWaiter(on: bus, logging: CollectingSink()) { values in
            if values == ["outcome"] { taken.happen() }
        } until: {
            await taken.wait()
        }
        await producer.close()
        await bus.close()
    }

    /// Letters and marks are spread over several partitions, each mark after its letter.
    @Test func lettersOfAllPartitionsAreReplayedOnce() async throws {
        let server = try await KafkaMockServer()
        for topic in ["dead 4", "reports 4"] { try await server.perform("create topic \(topic)") }
        let bus = try KafkaBus(
            try KafkaConfiguration(url: server.url), environment: TestEnvironment.real.forWorkers)
        let producer = try await bus.makeProducer(ProducerOptions())
        let letters = (0..<20).map { number in
            DeadLetter(
                IncomingMessage(
                    partition: PartitionID(channel: "reports", number: 0), offset: number,
                    key: number < 16 ? Array("key \(number)".utf8) : nil, value: [], headers: [],
                    timestamp: Timestamp(milliseconds: 0)),
                group: "waiter", reason: .exhausted, detail: "tried", attempts: 5)
        }
        try await producer.send(letters.map(\.outgoing))
        await producer.close()

        let listed = try await carillon("dead", "list", "--json", bus: server.url)
        #expect(listed.lines.filter { $0.hasSuffix(#""replayed":false}"#) }.count == 20)
        #expect(Set(listed.lines.map { $0.prefix(14) }).count > 1, "all letters are in one partition")
        let replayed = try await carillon("dead", "replay", "--all", "--yes", bus: server.url)
        #expect(replayed.lines == ["replayed 20 messages (20 to reports)"])
        let again = try await carillon("dead", "replay", "--all", "--yes", bus: server.url)
        #expect(again.lines == ["nothing to replay"])
        await bus.close()
    }

    @Test func brokersWithoutAdminCallsAreNamed() async throws {
        let server = try await KafkaMockServer()
        let (ending, lines) = try await carillon("topics", "create", "--timeout", "1s", bus: server.url)
        #expect(ending == .exited(1))
        #expect(lines.contains { $0.contains("topics not created") })
        #expect(lines.last == "The bus is \(server.url)")
    }

    @Test func aBusThatIsAwayIsNamed() async throws {
        let url = "redis://127.0.0.1:\(FreePort.next())"
        let (ending, lines) = try await carillon("dead", "list", bus: url)
        #expect(ending == .exited(1))
        #expect(lines.last == "The bus is \(url)")
    }

    @Test(arguments: [["dead", "list"], ["topics", "create"]])
    func aWrongEnvironmentIsNamedWithItsFix(_ words: [String]) async throws {
        let process = try ChildProcess(
            builtExecutable("carillon"), arguments: words + ["--bus", "amqp://elsewhere"],
            environment: ["CARILLON_BUS_LEASE": "soon"])
        await process.line { _ in false }
        #expect(await process.end() == .exited(78))
        #expect(process.lines.first == "carillon cannot start:")
        #expect(process.lines.contains { $0.hasPrefix("CARILLON_BUS: ") && $0.contains("set it to redis://HOST:PORT") })
        #expect(process.lines.contains { $0.hasPrefix("CARILLON_BUS_LEASE: \"soon\" is not a duration") })
    }

    @Test func aMistypedCommandExitsWith64() async throws {
        let (ending, lines) = try await carillon("topics", "lits", bus: "redis://127.0.0.1:1")
        #expect(ending == .exited(64))
        #expect(lines == ["carillon: unknown command \"topics lits\"; did you mean list?", "See carillon --help"])
    }
}

private struct Waiter: MessageHandler {
    let body: @Sendable ([String]) throws -> Void

    func handle(
        _ messages: [ReceivedMessage<OpaqueMessage>], context: HandlerContext
    ) async throws -> [OutgoingMessage] {
        try body(messages.map { String(decoding: $0.message.bytes, as: UTF8.self) })
        return []
    }
}

/// Signals that a worker has moved a message to `dead`.
private struct BurialSink: LogSink {
    let buried: OneTimeEvent

    func write(line: String) {
        if line.contains("message moved to dead") { buried.happen() }
    }
}
