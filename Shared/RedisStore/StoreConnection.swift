package import RedisClient
package import Store
import Synchronization

/// The one way from the store to Redis: every error becomes the store's here, and a test can cut an operation off
/// between any two commands.
package final class StoreConnection: Sendable {
    /// Asked before each command; the operation ends there with the error it returns.
    package typealias BeforeCommand = @Sendable () -> StoreError?

    /// What one pipeline holds, so that no operation fills the connection for the others.
    package static let pipelineMaximumDefault = 128

    private let redis: RedisClient
    private let beforeCommand: BeforeCommand?
    private let pipelineMaximum: Int
    private let refusals = Atomic<Int>(0)

    /// Longer pipelines are for a client that nobody else uses: with `appendfsync always` Redis flushes once for all it
    /// reads at once, so that fewer and longer ones cost fewer flushes.
    package init(
        _ redis: RedisClient, pipelineMaximum: Int = pipelineMaximumDefault, beforeCommand: BeforeCommand? = nil
    ) {
        self.redis = redis
        self.pipelineMaximum = pipelineMaximum
        self.beforeCommand = beforeCommand
    }

    /// How often something turned out not to be of this registry: what is known of it has to be read again.
    var notReadyCount: Int { refusals.load(ordering: .acquiring) }

    /// As `RedisClient.keysOfServers`.
    func keysOfServers() async throws(StoreError) -> [RedisArgument] {
        do throws(RedisError) {
            return try await redis.keysOfServers()
        } catch {
            throw translated(error)
        }
    }

    /// Something that must be there is not.
    func notReady(_ message: String) -> StoreError {
        refusals.add(1, ordering: .acquiringAndReleasing)
        return StoreError(.notReady, message: message)
    }

    func send(_ command: RedisCommand) async throws(StoreError) -> RedisValue {
        if let cut = beforeCommand?() { throw cut }
        do throws(RedisError) {
            return try await redis.send(command)
        } catch {
            throw translated(error)
        }
    }

    func run(
        _ script: RedisScript, keys: [RedisArgument], arguments: [RedisArgument]
    ) async throws(StoreError) -> RedisValue {
        if let cut = beforeCommand?() { throw cut }
        do throws(RedisError) {
            return try await redis.run(script, keys: keys, arguments: arguments)
        } catch {
            throw translated(error)
        }
    }

    func run(_ call: ScriptCall) async throws(StoreError) -> RedisValue {
        try await run(call.script, keys: call.keys, arguments: call.arguments)
    }

    /// Pipelines; they fail as a whole with the first error.
    func send(_ commands: [RedisCommand]) async throws(StoreError) -> [RedisValue] {
        var replies: [RedisValue] = []
        replies.reserveCapacity(commands.count)
        for start in stride(from: 0, to: commands.count, by: pipelineMaximum) {
            let (allowed, cut) = allowed(commands[start..<min(commands.count, start + pipelineMaximum)])
            for result in await redis.send(allowed) { replies.append(try value(result)) }
            if let cut { throw cut }
        }
        return replies
    }

    /// Pipelines of scripts; they fail as a whole with the first error.
    func run(_ calls: [ScriptCall]) async throws(StoreError) -> [RedisValue] {
        var replies: [RedisValue] = []
        replies.reserveCapacity(calls.count)
        for start in stride(from: 0, to: calls.count, by: pipelineMaximum) {
            let (allowed, cut) = allowed(calls[start..<min(calls.count, start + pipelineMaximum)])
            for (call, result) in zip(allowed, await redis.send(allowed.map(\.command))) {
                replies.append(try value(await known(call, result: result)))
            }
            if let cut { throw cut }
        }
        return replies
    }

    /// A server that does not know the script yet gets the whole source.
    private func known(
        _ call: ScriptCall, result: Result<RedisValue, RedisError>
    ) async -> Result<RedisValue, RedisError> {
        guard case .failure(let error) = result, error.code == .reply("NOSCRIPT") else { return result }
        return await redis.send([call.wholeCommand])[0]
    }

    /// Those before the first that the test cuts off, which are sent all the same.
    private func allowed<Item>(_ items: ArraySlice<Item>) -> ([Item], StoreError?) {
        guard let beforeCommand else { return (Array(items), nil) }
        for position in items.indices {
            if let cut = beforeCommand() { return (Array(items[..<position]), cut) }
        }
        return (Array(items), nil)
    }

    private func value(_ result: Result<RedisValue, RedisError>) throws(StoreError) -> RedisValue {
        switch result {
        case .success(let value): return value
        case .failure(let error): throw translated(error)
        }
    }

    private func translated(_ error: RedisError) -> StoreError {
        error.code == .reply("NOTREADY") ? notReady(error.description) : StoreError(error)
    }
}

extension StoreError {
    init(_ error: RedisError) {
        let code: Code
        switch error.code {
        case .reply("OOM"): code = .full
        case .refused, .misconfigured, .reply("NOAUTH"), .reply("WRONGPASS"), .reply("NOPERM"): code = .refused
        case .reply("WRONGTYPE"): code = .corrupt
        case .reply("ERR") where error.isOfScript: code = .corrupt
        // Every operation of the store may be repeated, also one that was executed without our knowing.
        default: code = .unavailable
        }
        self.init(code, message: error.description)
    }
}

extension RedisError {
    /// One of our scripts failed at what it found: it would again, so that waiting for Redis would hold its message, and
    /// those behind it, for ever. Redis names the script by its line, before version 7 otherwise; a script that an operator
    /// killed did not fail by itself.
    fileprivate var isOfScript: Bool {
        let isNamed = ["user_script", "Error running script"].contains { message.utf8.firstRange(of: $0.utf8) != nil }
        return isNamed && message.utf8.firstRange(of: "SCRIPT KILL".utf8) == nil
    }
}
