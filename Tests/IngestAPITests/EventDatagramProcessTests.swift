import Bus
import Glibc
import PushModel
import RedisBus
import RedisClient
import ServiceKit
import TaskModel
import TestSupport
import Testing
import Topics

/// Events over UDP, with the real program and a real Redis.
@Suite(.timeLimit(.minutes(5))) struct EventDatagramProcessTests {
    /// Fewer than the smallest socket buffer holds.
    private static let burst = 100

    /// The texts of the tasks on the bus.
    private func texts(on redis: RedisServer) async throws -> [String] {
        try await tasks(on: redis).map { $0.content.message?.body?.standard ?? "" }
    }

    private func tasks(on redis: RedisServer) async throws -> [PushTask] {
        let time = SystemTimeSource()
        let bus = RedisBus(
            redis: try RedisConfiguration(url: redis.url), RedisBusConfiguration(),
            log: Log(service: "test", level: .error), metrics: Metrics(), health: Health(time: time), time: time,
            random: SystemRandomSource())
        let found = Monitor<[PushTask]>([])
        try await bus.scan(Topics.tasks.channel) { message in
            if case .task(let task) = try TaskMessage(decoding: message.value) {
                found.change { $0.append(task) }
            }
            return true
        }
        await bus.close()
        return found.withLock { $0 }
    }

    private func send(_ numbers: Range<Int>, with client: DatagramClient) {
        for number in numbers { client.send("POST /event/sport?msg=\(number)") }
    }

    /// Goal: a drain makes durable what has arrived, and nothing twice. Method: SIGTERM right after a burst, which the
    /// socket's buffer holds.
    @Test func aDrainKeepsWhatHasArrived() async throws {
        let redis = try await RedisServer()
        let api = try await IngestProcess(redis: redis.url, receivesDatagrams: true)
        let client = DatagramClient(port: try #require(api.datagramPort))
        send(0..<Self.burst, with: client)
        #expect(await api.stop() == .exited(0))
        let texts = try await texts(on: redis)
        #expect(texts.count == Self.burst)
        #expect(Set(texts) == Set((0..<Self.burst).map { "\($0)" }))
        #expect(!client.hasAnswer)
    }

    /// Goal: what was counted as accepted survives kill -9 under load. Method: bursts until some were accepted, then
    /// the kill while more arrive; the bus is read afterwards.
    @Test func acceptedEventsSurviveAKill() async throws {
        let redis = try await RedisServer()
        let api = try await IngestProcess(redis: redis.url, receivesDatagrams: true)
        let client = DatagramClient(port: try #require(api.datagramPort))
        var sent = 0
        var accepted = 0
        while accepted < 5 * Self.burst {
            send(sent..<sent + Self.burst, with: client)
            sent += Self.burst
            accepted = try await api.accepted()
        }
        send(sent..<sent + Self.burst, with: client)
        await api.kill9()
        let texts = try await texts(on: redis)
        #expect(texts.count >= accepted)
        #expect(Set(texts).count == texts.count)
    }

    /// Goal: a crash between the two writes of a batch leaves nothing that was accepted without its task, and no task
    /// without its content. Method: the bus has a Redis of its own, which stops; the process is killed when contents
    /// have been archived.
    @Test func aKillBetweenTheWritesLosesNothingAccepted() async throws {
        let (store, bus) = (try await RedisServer(), try await RedisServer())
        let api = try await IngestProcess(redis: store.url, bus: bus.url, receivesDatagrams: true)
        let client = DatagramClient(port: try #require(api.datagramPort))
        send(0..<Self.burst, with: client)
        try await waitUntil { try await api.accepted() == Self.burst }
        bus.signal(SIGSTOP)
        send(Self.burst..<2 * Self.burst, with: client)
        let archive = try await Archive(store)
        try await waitUntil { try await archive.contents() > Self.burst }
        #expect(try await api.accepted() == Self.burst)
        await api.kill9()
        bus.signal(SIGCONT)
        let tasks = try await tasks(on: bus)
        #expect(Set(tasks.map(\.id)).count == tasks.count)
        #expect(tasks.count >= Self.burst)
        for task in tasks { #expect(try await archive.has(task.id)) }
        await archive.close()
    }
}

/// The contents of tasks in a store.
private struct Archive {
    private let redis: RedisClient

    init(_ server: RedisServer) async throws {
        redis = RedisClient(
            try RedisConfiguration(url: server.url), log: Log(service: "test", level: .error), metrics: Metrics())
    }

    func contents() async throws -> Int {
        try await redis.send(RedisCommand("KEYS", "content:*")).array?.count ?? 0
    }

    func has(_ task: TaskID) async throws -> Bool {
        try await redis.send(RedisCommand("EXISTS", RedisArgument("content:{\(task.key)}"))) == .integer(1)
    }

    func close() async { await redis.close() }
}

extension IngestProcess {
    /// The counter of accepted datagrams.
    fileprivate func accepted() async throws -> Int {
        let line = "carillon_ingest_handled_datagrams_total{outcome=\"accepted\"} "
        let text = try await metrics()
        let value = text.split(separator: "\n").first { $0.hasPrefix(line) }?.dropFirst(line.count)
        return value.flatMap { Int($0) } ?? 0
    }
}
