import Bus
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
        let time = SystemTimeSource()
        let bus = RedisBus(
            redis: try RedisConfiguration(url: redis.url), RedisBusConfiguration(),
            log: Log(service: "test", level: .error), metrics: Metrics(), health: Health(time: time), time: time,
            random: SystemRandomSource())
        let found = Monitor<[String]>([])
        try await bus.scan(Topics.tasks.channel) { message in
            if case .task(let task) = try TaskMessage(decoding: message.value) {
                found.change { $0.append(task.content.message?.body?.standard ?? "") }
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
