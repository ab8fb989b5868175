import Bus
import Glibc
import KafkaBus
import RedisBus
import RedisClient
import ServiceKit
import TestSupport
import Testing
import Topics

/// `event-stream` as a process that can be killed and restarted on its port.
final class StreamProcess: Sendable {
    let port = FreePort.next()
    private let adminPort = FreePort.next()
    private let settings: [String: String]
    private let process = Monitor<ChildProcess?>(nil)

    init(settings: [String: String]) {
        self.settings = settings.merging(["CARILLON_STREAM_PORT": "\(port)", "CARILLON_ADMIN_PORT": "\(adminPort)"]) {
            $1
        }
    }

    var lines: [String] { process.withLock { $0 }?.lines ?? [] }

    /// Streams that ended for this reason.
    func ended(_ reason: String) async throws -> Int {
        let response = await blocking { [adminPort] in
            let client = RawClient(port: adminPort)
            client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return client.receiveResponse()
        }
        guard let response else { throw SetupError(description: "event-stream returned no metrics") }
        let text = try PrometheusText(response.text)
        return Int(text.value("carillon_stream_ended_listeners_total", labels: ["reason": reason]) ?? 0)
    }

    /// Returns once it listens.
    func start() async throws {
        let child = try ChildProcess.service("event-stream", settings: settings)
        process.change { $0 = child }
        guard await child.line(where: { $0.contains("\"server\":\"stream\"") }) != nil else {
            throw SetupError(description: "event-stream did not start: \(child.lines.suffix(10))")
        }
    }

    func kill() async {
        guard let child = process.withLock({ $0 }) else { return }
        child.signal(9)
        _ = await child.end()
    }

    func stop() async -> ChildProcess.Ending? {
        guard let child = process.withLock({ $0 }) else { return nil }
        child.signal(15)
        return await child.end()
    }
}

/// A listener that opens its stream again, with its last id, on one of the instances, as a browser does.
final class ResumingClient: Sendable {
    private struct State {
        var stream = ReadStream()
        var isStopped = false
        var connections = 0
    }

    private let state = Monitor(State())
    private let ended = OneTimeEvent()

    init(_ path: String, ports: [UInt16], seed: UInt64) {
        NativeThread(name: "listener") { [self] in
            run(path, ports: ports, dice: Dice(seed: seed))
            ended.happen()
        }.detach()
    }

    var stream: ReadStream { state.withLock { $0.stream } }
    var connections: Int { state.withLock { $0.connections } }

    func stop() async {
        state.change { $0.isStopped = true }
        await ended.wait()
    }

    private func run(_ path: String, ports: [UInt16], dice: Dice) {
        var dice = dice
        while !state.withLock({ $0.isStopped }) {
            if let client = RawClient(ifListening: ports[dice.number(below: ports.count)], patience: .seconds(1)) {
                listen(client, path: path)
            }
            _ = state.wait(timeout: .milliseconds(30)) { $0.isStopped ? true : nil }
        }
    }

    /// Returns when the stream ends. HTTP/1.0 has no chunks.
    private func listen(_ client: RawClient, path: String) {
        let id = state.withLock { $0.stream.lastID }.map { "Last-Event-ID: \($0)\r\n" } ?? ""
        client.send("GET \(path) HTTP/1.0\r\nHost: localhost\r\nAccept: text/event-stream\r\n\(id)\r\n")
        guard let head = client.receive(through: "\r\n\r\n"), head.hasPrefix("HTTP/1.1 200") else { return }
        state.change { state in
            state.stream.cut()
            state.connections += 1
        }
        while !state.withLock({ $0.isStopped }) {
            if let bytes = client.receive() {
                state.change { $0.stream.read(bytes) }
            } else if client.isClosed() {
                return
            }
        }
    }
}

/// A bus, and instances of `event-stream` over it, which loopback may use without a key.
final class StreamFixture: Sendable {
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case embedded
        case kafka

        var testDescription: String { rawValue }
    }

    static let app = #"{"allow":[{"range":"127.0.0.0/8","scopes":["listen"]}]}"#

    let apps = TemporaryDirectory("apps")
    let bus: any Bus
    let instances: [StreamProcess]
    private let redis: RedisServer
    private let kafka: KafkaMockServer?

    init(_ kind: Kind = .embedded, instances count: Int = 1, changes: [String: String] = [:]) async throws {
        var options = RedisServer.Options.forStores
        options.isDurable = true
        redis = try await RedisServer(options)
        kafka = kind == .kafka ? try await KafkaMockServer(brokers: 1) : nil
        try await kafka?.perform("create topic events 4")
        let url = kafka?.url ?? redis.url
        apps.write(".pepper", content: "a pepper of thirty-two bytes or more")
        chmod("\(apps.path)/.pepper", 0o600)
        apps.write("news.json", content: StreamFixture.app)
        bus = try StreamFixture.bus(url)
        let settings = [
            "CARILLON_BUS": url, "CARILLON_REDIS": redis.url, "CARILLON_APPS": apps.path,
            "CARILLON_APPS_INTERVAL": "100ms", "CARILLON_KAFKA_FETCH_WAIT_MAX_MS": "10",
        ].merging(changes) { $1 }
        instances = (0..<count).map { _ in StreamProcess(settings: settings) }
        for instance in instances { try await instance.start() }
    }

    var ports: [UInt16] { instances.map(\.port) }

    /// Runs the body and stops everything.
    func run(_ body: () async throws -> Void) async throws {
        try await withCleanup({
            await bus.close()
            for instance in instances { await instance.kill() }
            await redis.stop()
        }) { try await body() }
    }

    private static func bus(_ url: String) throws -> any Bus {
        let environment = TestEnvironment.real
        guard url.hasPrefix("kafka://") else {
            return RedisBus(
                redis: try RedisConfiguration(url: url), RedisBusConfiguration(), log: environment.log,
                metrics: environment.metrics, health: environment.health, time: environment.time,
                random: environment.random)
        }
        return try KafkaBus(try KafkaConfiguration(url: url), environment: environment.forWorkers)
    }
}
