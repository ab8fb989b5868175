package import RedisClient
import ServiceKit
package import Store
import Synchronization

/// The store's only access to Redis: it translates every error to a `StoreError`, and a test can interrupt an operation
/// between any two commands.
package final class StoreConnection: Sendable {
    /// Called before each command; a returned error ends the operation at this point.
    package typealias BeforeCommand = @Sendable () -> StoreError?

    /// Maximum length of a pipeline, so that no operation fills the connection for the others.
    package static let pipelineMaximumDefault = 128

    private let redis: RedisClient
    private let beforeCommand: BeforeCommand?
    private let pipelineMaximum: Int
    private let refusals = Atomic<Int>(0)

    /// Longer pipelines are for clients that are not shared: with `appendfsync always` Redis flushes once for all
    /// commands it reads together, so that fewer and longer pipelines cost fewer flushes.
    package init(
        _ redis: RedisClient, pipelineMaximum: Int = pipelineMaximumDefault, beforeCommand: BeforeCommand? = nil
    ) {
        self.redis = redis
        self.pipelineMaximum = pipelineMaximum
        self.beforeCommand = beforeCommand
    }

    /// Number of `notReady` errors so far; after each one the registry's root must be read again.
    var notReadyCount: Int { refusals.load(ordering: .acquiring) }

    /// See `RedisClient.keysOfServers`.
    func keysOfServers() async throws(StoreError) -> [RedisArgument] {
        do throws(RedisError) {
            return try await redis.keysOfServers()
        } catch {
            throw translated(error)
        }
    }

    /// Counts and returns the error for a required key that is missing.
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

    /// Sends pipelines; they fail as a whole with the first error.
    func send(_ commands: [RedisCommand]) async throws(StoreError) -> [RedisValue] {
        var replies: [RedisValue] = []
        replies.reserveCapacity(commands.count)
        for part in commands.chunks(of: pipelineMaximum) {
            let (allowed, cut) = allowed(part)
            for result in await redis.send(allowed) { replies.append(try value(result)) }
            if let cut { throw cut }
        }
        return replies
    }

    /// Sends pipelines of scripts; they fail as a whole with the first error.
    func run(_ calls: [ScriptCall]) async throws(StoreError) -> [RedisValue] {
        var replies: [RedisValue] = []
        replies.reserveCapacity(calls.count)
        for part in calls.chunks(of: pipelineMaximum) {
            for result in await runTogether(part) { replies.append(try result.get()) }
        }
        return replies
    }

    /// The same; each script fails on its own.
    func runEach(_ calls: [ScriptCall]) async -> [Result<RedisValue, StoreError>] {
        var results: [Result<RedisValue, StoreError>] = []
        for part in calls.chunks(of: pipelineMaximum) { results += await runTogether(part) }
        return results
    }

    private func runTogether(_ calls: ArraySlice<ScriptCall>) async -> [Result<RedisValue, StoreError>] {
        let (allowed, cut) = allowed(calls)
        var results: [Result<RedisValue, StoreError>] = []
        var wasUnknown = false
        for (call, result) in zip(allowed, await redis.send(allowed.map(\.command))) {
            let mustBeSentAgain = StoreConnection.mustBeSentAgain(result, afterUnknown: wasUnknown)
            wasUnknown = wasUnknown || mustBeSentAgain
            let last = mustBeSentAgain ? await redis.send([call.wholeCommand])[0] : result
            results.append(last.mapError(translated))
        }
        if let cut { results += calls.dropFirst(allowed.count).map { _ in .failure(cut) } }
        return results
    }

    /// A server that does not have the script yet gets the whole source. If another process sends it meanwhile, later
    /// calls of the pipeline are run, too early if they depend on this one.
    private static func mustBeSentAgain(_ result: Result<RedisValue, RedisError>, afterUnknown: Bool) -> Bool {
        guard case .failure(let error) = result else { return false }
        return error.code == .reply("NOSCRIPT") || afterUnknown && error.code == .reply("OUTOFTURN")
    }

    /// The items before the first one at which a test interrupts; these are sent nevertheless.
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
        // Every operation of the store can be repeated, even if it was executed and only the reply was lost.
        default: code = .unavailable
        }
        self.init(code, message: error.description)
    }
}

extension RedisError {
    /// A script of the store failed on the data it read. It would fail again, so retrying would block its message and
    /// those behind it forever. Redis names the line of the script, older versions than 7 use another text; a script
    /// killed by an operator did not fail on its own.
    fileprivate var isOfScript: Bool {
        let isNamed = ["user_script", "Error running script"].contains { message.utf8.firstRange(of: $0.utf8) != nil }
        return isNamed && message.utf8.firstRange(of: "SCRIPT KILL".utf8) == nil
    }
}
