import PushModel
import RedisClient
import ServiceKit
import Store
import TestSupport
import Testing

@testable import RedisStore

/// Mapping of errors of the store's own scripts.
@Suite(.timeLimit(.minutes(3))) struct ScriptErrorTests {
    /// Goal: a value that a script cannot decode is not taken for an outage, which would be retried. Method: the bytes
    /// of a ledger are truncated by another client.
    @Test func aScriptThatFailsAtItsDataSaysSo() async throws {
        let server = try await RedisServer(.forStores)
        let redis = try client(of: server)
        let ledger = RedisLedger(StoreConnection(redis))
        let (task, app) = (TaskID(high: 0x4000, low: 1), try AppID("news"))
        let segment = SegmentID(app, number: SegmentNumber(rawValue: 3))
        _ = try await redis.send(RedisCommand("SET", LedgerKeys(task, segment: segment).states, "cut"))
        let request = ClaimRequest(
            id: ClaimID(owner: 1, number: 1), offsets: [1], attempt: 0, lease: .seconds(10), countsBadge: false)
        let error = await #expect(throws: StoreError.self) {
            _ = try await ledger.claim(request, of: task, in: segment)
        }
        #expect(error?.code == .corrupt && error?.isRetriable == false)
        await redis.close()
    }

    /// Goal: a call that depends on the one before it in its pipeline is repeated after that one. Method: a server that
    /// has only the script of the second call, as if another process had sent it meanwhile.
    @Test func aCallThatWasRunTooEarlyIsRepeated() async throws {
        let server = try await RedisServer(.forStores)
        let redis = try client(of: server)
        let connection = StoreConnection(redis)
        let first = call("#!lua\nredis.call('SET', KEYS[1], 'x') return 1")
        let second = call("#!lua\nreturn redis.call('GET', KEYS[1]) and 2 or {err = 'OUTOFTURN there is none'}")
        await #expect(throws: StoreError.self) { _ = try await connection.run([second]) }
        #expect(try await connection.run([first, second]).map(\.integer) == [1, 2])
        await redis.close()
    }

    private func client(of server: RedisServer) throws -> RedisClient {
        RedisClient(
            try RedisConfiguration(url: server.url), log: Log(service: "test", level: .error), metrics: Metrics())
    }

    private func call(_ source: String) -> ScriptCall {
        ScriptCall(RedisScript(Array(source.utf8)), keys: ["a key"], arguments: [])
    }

    @Test(arguments: [
        ("ERR user_script:12: data string is too short script: 4f2a, on @user_script:12.", StoreError.Code.corrupt),
        ("ERR Error running script (call to f_4f2a): @user_script:12: too short", .corrupt),
        ("ERR Error running script: Script killed by user with SCRIPT KILL.", .unavailable),
        ("ERR max number of clients reached", .unavailable), ("BUSY Redis is busy running a script.", .unavailable),
        ("OOM command not allowed when used memory > 'maxmemory'. script: 4f2a, on @user_script:3.", .full),
    ])
    func anErrorIsJudgedByWhoseItIs(line: String, code: StoreError.Code) {
        #expect(StoreError(RedisError(reply: line)).code == code)
    }
}
