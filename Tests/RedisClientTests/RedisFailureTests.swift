import RedisClient
import ServiceKit
import TestSupport
import Testing

/// What becomes of commands when the server dies, stalls or talks nonsense.
@Suite struct RedisFailureTests {
    /// Kills a durable server while tens of thousands of commands are on their way, starts it again, and looks for
    /// every write that was acknowledged.
    @Test func aCrashLosesNothingAcknowledged() async throws {
        var options = RedisServer.Options()
        options.isDurable = true
        let server = try await RedisServer(options)
        let client = try server.client { $0.commandDeadline = .seconds(60) }
        let results = Results()
        let count = 50_000
        let value = RedisArgument([UInt8](repeating: 1, count: 200))
        for index in 0..<count {
            client.submit(RedisCommand("SET", "key\(index)", value)) { results.set($0, index) }
        }
        await results.reach(1_000)
        await server.kill9()
        try await server.restart()
        await results.reach(count)

        let (acknowledged, errors) = results.settled
        #expect(!errors.isEmpty && errors.allSatisfy { $0.code == .unknown })
        #expect(acknowledged.count + errors.count == count)
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
        // A connection that had not noticed the crash when the commands came ends them as unknown, never otherwise.
        for result in await later {
            if case .failure(let error) = result { #expect(error.code == .unknown) }
        }
        #expect(try await client.send(RedisCommand("PING")) == .status("PONG"))
    }

    @Test func withoutAServerACommandIsNotSent() async throws {
        let port = FreePort.next()
        let client = RedisClient(
            RedisConfiguration(port: port), log: Log(service: "test", level: .error), metrics: Metrics())
        let error = await client.result(RedisCommand("PING"), deadline: .milliseconds(200))
        #expect(error.code == .notSent && error.isRetriable)
        #expect(error.message.contains("refused"))
    }

    /// A stopped process keeps its connections open and answers nothing.
    @Test func aStalledServerMakesTheOutcomeUnknown() async throws {
        let server = try await RedisServer()
        let client = try server.client { $0.connections = 1 }
        _ = try await client.send(RedisCommand("PING"))
        server.signal(19)
        let error = await client.result(RedisCommand("INCR", "counter"), deadline: .milliseconds(200))
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

    @Test func anAnswerNobodyAskedForIsAnError() async throws {
        let server = try NonsenseServer(answers: ["+PONG\r\n", "+OK\r\n+OK\r\n"])
        var configuration = RedisConfiguration(port: server.port)
        configuration.connections = 1
        let client = RedisClient(configuration, log: Log(service: "test", level: .error), metrics: Metrics())
        #expect(try await client.send(RedisCommand("SET", "key", "value")) == .status("OK"))
        let closed = await server.connectionEnded()
        #expect(closed)
    }
}

/// Results by index, and a way to wait for a number of them.
private final class Results: Sendable {
    private let state = Monitor<[Int: Result<RedisValue, RedisError>]>([:])

    func set(_ result: Result<RedisValue, RedisError>, _ index: Int) {
        state.change { $0[index] = result }
    }

    func reach(_ count: Int) async {
        let reached = await blocking { [state] in
            state.wait(timeout: .seconds(60)) { $0.count >= count ? true : nil } ?? false
        }
        #expect(reached, "\(count) results did not come")
    }

    var settled: (acknowledged: [Int], errors: [RedisError]) {
        state.withLock { results in
            var acknowledged: [Int] = []
            var errors: [RedisError] = []
            for (index, result) in results {
                switch result {
                case .success: acknowledged.append(index)
                case .failure(let error): errors.append(error)
                }
            }
            return (acknowledged, errors)
        }
    }
}
