import RedisClient
import ServiceKit
import TestSupport
import Testing

/// Tests the outcome of commands when the server dies, stalls or sends invalid replies.
@Suite struct RedisFailureTests {
    /// Kills a durable server that always has two thousand commands in flight, restarts it, and checks every
    /// acknowledged write.
    @Test func aCrashLosesNothingAcknowledged() async throws {
        var options = RedisServer.Options()
        options.isDurable = true
        let server = try await RedisServer(options)
        let client = try server.client { $0.commandDeadline = .seconds(60) }
        let writer = Writer(client)
        for _ in 0..<2_000 { writer.writeNext() }
        await writer.reach { $0.acknowledged.count >= 1_000 }
        await server.kill9()
        try await server.restart()
        await writer.reach { $0.acknowledged.count + $0.errors.count == $0.count }

        let (acknowledged, errors) = (writer.tally.acknowledged, writer.tally.errors)
        // A restarted server that still loads its file rejects early commands with LOADING.
        #expect(!errors.isEmpty)
        let unexpected = errors.filter { ![.unknown, .reply("LOADING")].contains($0.code) }
        #expect(unexpected.map(\.message) == [])
        let found = await client.send(acknowledged.map { RedisCommand("EXISTS", "key\($0)") })
        #expect(found.allSatisfy { $0 == .success(.integer(1)) })
    }

    @Test func commandsWaitForAServerThatComesBack() async throws {
        let server = try await RedisServer()
        let client = try server.client { $0.commandDeadline = .seconds(30) }
        _ = try await client.send(RedisCommand("PING"))
        await server.kill9()
        async let later = client.send([RedisCommand("PING"), RedisCommand("PING")])
        try await server.restart()
        // If a connection had not noticed the crash when the commands came, they end as unknown, never otherwise.
        for result in await later {
            if case .failure(let error) = result { #expect(error.code == .unknown) }
        }
        #expect(try await client.send(RedisCommand("PING")) == .status("PONG"))
    }

    @Test func withoutAServerACommandIsNotSent() async throws {
        let port = FreePort.next()
        let client = RedisClient(
            RedisConfiguration(port: port), log: Log(service: "test", level: .error), metrics: Metrics())
        let error = await client.result(RedisCommand("PING"), deadline: .seconds(2))
        #expect(error.code == .notSent && error.isRetriable)
        #expect(error.message.contains("refused"))
    }

    /// A stopped process keeps its connections open and answers nothing.
    @Test func aStalledServerMakesTheOutcomeUnknown() async throws {
        let server = try await RedisServer()
        let client = try server.client { $0.connections = 1 }
        _ = try await client.send(RedisCommand("PING"))
        server.signal(19)
        let error = await client.result(RedisCommand("INCR", "counter"), deadline: .seconds(2))
        #expect(error.code == .unknown && !error.isRetriable)
        server.signal(18)
        #expect(try await client.send(RedisCommand("PING"), deadline: .seconds(30)) == .status("PONG"))
    }

    @Test func aReplyBeyondTheBoundEndsTheConnectionOnly() async throws {
        let server = try await RedisServer()
        let client = try server.client { $0.replyBytesMaximum = 64 * 1024 }
        let value = RedisArgument([UInt8](repeating: 1, count: 1 << 20))
        _ = try await client.send(RedisCommand("SET", "large", value))
        let error = await client.result(RedisCommand("GET", "large"))
        #expect(error.code == .unknown && error.message.contains("larger than"))
        #expect(try await client.send(RedisCommand("PING")) == .status("PONG"))
    }

    @Test func nonsenseFromTheServerIsAnError() async throws {
        let server = try NonsenseServer(answers: ["+PONG\r\n", "HTTP/1.1 400 Bad Request\r\n\r\n"])
        var configuration = RedisConfiguration(port: server.port)
        configuration.connections = 1
        let client = RedisClient(configuration, log: Log(service: "test", level: .error), metrics: Metrics())
        let error = await client.result(RedisCommand("GET", "key"))
        #expect(error.code == .unknown && error.message.contains("does not speak Redis"))
    }

    @Test func anUnrequestedAnswerIsAnError() async throws {
        let server = try NonsenseServer(answers: ["+PONG\r\n", "+OK\r\n+OK\r\n"])
        var configuration = RedisConfiguration(port: server.port)
        configuration.connections = 1
        let client = RedisClient(configuration, log: Log(service: "test", level: .error), metrics: Metrics())
        #expect(try await client.send(RedisCommand("SET", "key", "value")) == .status("OK"))
        let closed = await server.connectionEnded()
        #expect(closed)
    }
}

/// Sends the next write after each acknowledged one, until a write fails.
private final class Writer: Sendable {
    struct Tally {
        var count = 0
        var acknowledged: [Int] = []
        var errors: [RedisError] = []
    }

    private let client: RedisClient
    private let state = Monitor(Tally())

    init(_ client: RedisClient) {
        self.client = client
    }

    var tally: Tally { state.withLock { $0 } }

    func writeNext() {
        let index = state.change { tally in
            tally.count += 1
            return tally.count
        }
        let value = RedisArgument([UInt8](repeating: 1, count: 200))
        client.submit(RedisCommand("SET", "key\(index)", value)) { result in
            let goesOn = self.state.change { tally in
                switch result {
                case .success: tally.acknowledged.append(index)
                case .failure(let error): tally.errors.append(error)
                }
                return tally.errors.isEmpty
            }
            if goesOn { self.writeNext() }
        }
    }

    func reach(_ condition: @escaping @Sendable (Tally) -> Bool) async {
        let reached = await blocking { [state] in
            state.wait(timeout: .hangLimit) { condition($0) ? true : nil } ?? false
        }
        #expect(reached, "\(tally.count) writes, \(tally.acknowledged.count) acknowledged")
    }
}
