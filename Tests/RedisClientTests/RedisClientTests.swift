import RedisClient
import ServiceKit
import TLSSocket
import TestSupport
import Testing

@Suite struct RedisClientTests {
    @Test func setsAndGetsBytesOfEveryValue() async throws {
        let server = try await RedisServer()
        let client = try server.client()
        let bytes = (0..<4096).map { UInt8(truncatingIfNeeded: $0) }
        #expect(try await client.send(RedisCommand("SET", "key", RedisArgument(bytes))) == .status("OK"))
        #expect(try await client.send(RedisCommand("GET", "key")).bytes == bytes)
        await client.close()
    }

    @Test func aPipelineIsAnsweredInOrder() async throws {
        let server = try await RedisServer()
        let client = try server.client()
        let commands = (0..<1000).map { _ in RedisCommand("INCR", "counter") }
        let numbers = await client.send(commands).map { try? $0.get().integer }
        #expect(numbers == (1...1000).map { $0 })
    }

    @Test func oneErrorInAPipelineLeavesTheOthers() async throws {
        let server = try await RedisServer()
        let client = try server.client()
        let results = await client.send([
            RedisCommand("SET", "text", "a"), RedisCommand("INCR", "text"), RedisCommand("GET", "text"),
        ])
        #expect(results[0] == .success(.status("OK")))
        #expect(throws: RedisError.self) { try results[1].get() }
        #expect(results[2] == .success(.bytes(Array("a".utf8))))
    }

    /// Goal: closing waits for the last reply and no longer. Method: a command that takes a while, and a limit far
    /// beyond its duration.
    @Test func closingEndsWithTheLastAnswer() async throws {
        let server = try await RedisServer()
        let client = try server.client()
        _ = try await client.send(RedisCommand("PING"))
        let answer = Monitor<Result<RedisValue, RedisError>?>(nil)
        client.submit(RedisCommand("BLPOP", "nothing", "0.2")) { result in answer.change { $0 = result } }
        let started = SystemTimeSource().uptime
        await client.close(within: .seconds(60))
        #expect(SystemTimeSource().uptime - started < .seconds(30))
        #expect(answer.withLock { $0 } == .success(.null))
    }

    @Test func largeValuesArriveWhole() async throws {
        let server = try await RedisServer()
        let client = try server.client()
        let bytes = [UInt8](repeating: 7, count: 20 << 20)
        _ = try await client.send(RedisCommand("SET", "large", RedisArgument(bytes)))
        #expect(try await client.send(RedisCommand("GET", "large")).bytes == bytes)
    }

    @Test func nativeThreadsCanWait() async throws {
        let server = try await RedisServer()
        let client = try server.client()
        let result = await blocking { client.wait(RedisCommand("PING")) }
        #expect(result == .success(.status("PONG")))
    }

    /// The script's source is sent again to a server that lost its scripts.
    @Test func scriptsSurviveAFlush() async throws {
        let server = try await RedisServer()
        let client = try server.client()
        let script = RedisScript("return redis.call('INCRBY', KEYS[1], ARGV[1])")
        #expect(try await client.run(script, keys: ["sum"], arguments: [2]) == .integer(2))
        _ = try await client.send(RedisCommand("SCRIPT", "FLUSH"))
        #expect(try await client.run(script, keys: ["sum"], arguments: [3]) == .integer(5))
        // The server has the script by its digest again: EVAL cached it.
        let known = try await client.send(RedisCommand("SCRIPT", "EXISTS", RedisArgument(script.sha1)))
        #expect(known == .array([.integer(1)]))
    }

    /// Goal: a script that the server does not know yet runs once in each call of a pipeline. Method: a counter for
    /// each call, before and after the server knows the script.
    @Test func aPipelineOfAScriptRunsEachCallOnce() async throws {
        let server = try await RedisServer()
        let client = try server.client()
        let script = RedisScript("return redis.call('INCRBY', KEYS[1], ARGV[1])")
        let keys: [[RedisArgument]] = (0..<20).map { [RedisArgument("counter \($0)")] }
        for expected in [2, 4] as [Int64] {
            let results = await blocking { client.wait(script, keysOfCalls: keys, arguments: [2]) }
            #expect(results == Array(repeating: .success(.integer(expected)), count: keys.count))
        }
        await client.close()
    }

    @Test func theDatabaseOfTheURLIsSelected() async throws {
        let server = try await RedisServer()
        let first = try server.client()
        let second = try server.client { $0.database = 3 }
        _ = try await second.send(RedisCommand("SET", "key", "value"))
        #expect(try await first.send(RedisCommand("GET", "key")).isNull)
        let wrong = try server.client { $0.database = 4711 }
        let error = await #expect(throws: RedisError.self) { try await wrong.send(RedisCommand("GET", "key")) }
        #expect(error?.code == .refused)
    }

    @Test func aClosedClientRefusesCommands() async throws {
        let server = try await RedisServer()
        let client = try server.client()
        _ = try await client.send(RedisCommand("PING"))
        await client.close()
        let error = await #expect(throws: RedisError.self) { try await client.send(RedisCommand("PING")) }
        #expect(error?.code == .closed)
        #expect(client.readiness() != .ready)
    }

    /// Without a server commands wait; beyond the limit they are refused immediately.
    @Test func theOutboxIsBounded() async throws {
        var configuration = RedisConfiguration(port: FreePort.next())
        configuration.connections = 1
        configuration.outstandingBytesMaximum = 10_000
        let client = RedisClient(configuration, log: Log(service: "test", level: .error), metrics: Metrics())
        let value = RedisArgument([UInt8](repeating: 0, count: 6_000))
        async let first = client.result(RedisCommand("SET", "a", value), deadline: .seconds(3))
        async let second = client.result(RedisCommand("SET", "b", value), deadline: .seconds(3))
        let codes = await [first, second].map { $0.code }
        #expect(codes.contains(.full) && codes.contains(.notSent))
    }
}

@Suite struct RedisAccessTests {
    @Test func aWrongPasswordNamesTheVariable() async throws {
        var options = RedisServer.Options()
        options.password = "right"
        let server = try await RedisServer(options)
        for password in [nil, Secret("wrong")] {
            let client = try server.client { $0.password = password }
            let error = await client.result(RedisCommand("GET", "key"))
            #expect(error.code == .refused)
            #expect(error.message.contains("CARILLON_REDIS_PASSWORD"))
            guard case .notReady(let reason) = client.readiness() else {
                Issue.record("a refused client is ready")
                return
            }
            #expect(!reason.contains("wrong"))
        }
        let client = try server.client { $0.password = Secret("right") }
        #expect(try await client.send(RedisCommand("PING")) == .status("PONG"))
    }

    @Test func anACLUserMayDoWhatItsRulesSay() async throws {
        let server = try await RedisServer()
        let admin = try server.client()
        _ = try await admin.send(RedisCommand("ACL", "SETUSER", "writer", "on", ">secret", "~*", "+set"))
        let client = try server.client {
            $0.user = "writer"
            $0.password = Secret("secret")
        }
        #expect(try await client.send(RedisCommand("SET", "key", "value")) == .status("OK"))
        #expect(await client.result(RedisCommand("GET", "key")).code == .reply("NOPERM"))
    }

    @Test func tlsIsVerified() async throws {
        let authority = try await TestAuthority()
        var options = RedisServer.Options()
        options.authority = authority
        options.arguments = ["--bind", "127.0.0.1", "127.0.0.2"]
        let server = try await RedisServer(options)
        let trusting = try server.client { $0.tls?.authorityFile = authority.authorityFile }
        let bytes = [UInt8](repeating: 9, count: 3 << 20)
        _ = try await trusting.send(RedisCommand("SET", "large", RedisArgument(bytes)))
        #expect(try await trusting.send(RedisCommand("GET", "large")).bytes == bytes)

        let stranger = try await TestAuthority()
        let wary = try server.client { $0.tls?.authorityFile = stranger.authorityFile }
        let distrust = await wary.result(RedisCommand("PING"))
        #expect(distrust.code == .refused && distrust.message.contains("not trusted"))

        let misled = try server.client {
            $0.tls?.authorityFile = authority.authorityFile
            $0.addresses[0].host = "127.0.0.2"
        }
        let error = await misled.result(RedisCommand("PING"))
        #expect(error.code == .refused && error.message.contains("IP address mismatch"))
        withExtendedLifetime(stranger) {}
    }
}

extension RedisServer {
    func client(_ change: (inout RedisConfiguration) -> Void = { _ in }) throws -> RedisClient {
        var configuration = try RedisConfiguration(url: url)
        change(&configuration)
        return RedisClient(configuration, log: Log(service: "test", level: .error), metrics: Metrics())
    }
}

extension RedisClient {
    /// The error with which a command must fail.
    func result(_ command: RedisCommand, deadline: Duration? = nil) async -> RedisError {
        do throws(RedisError) {
            let value = try await send(command, deadline: deadline)
            return RedisError(.misconfigured, message: "no error but \(value)")
        } catch {
            return error
        }
    }
}
