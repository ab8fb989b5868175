package import RedisClient
package import Store
import Synchronization

/// The store's way to Redis: the one place where its errors become the store's, and where a test can cut an operation
/// off between any two commands.
package final class RedisConnector: Sendable {
    /// Asked before each command; the operation ends there with the error it returns.
    package typealias BeforeCommand = @Sendable () -> StoreError?

    /// What one pipeline holds, so that no operation fills the connection for the others.
    static let pipelineMaximum = 128

    let client: RedisClient
    private let beforeCommand: BeforeCommand?
    private let refusals = Atomic<Int>(0)

    package init(_ client: RedisClient, beforeCommand: BeforeCommand? = nil) {
        self.client = client
        self.beforeCommand = beforeCommand
    }

    /// How often Redis has said that something is not of this registry: what is known about it has to be read again.
    var notReadyCount: Int { refusals.load(ordering: .acquiring) }

    func send(_ command: RedisCommand) async throws(StoreError) -> RedisValue {
        if let cut = beforeCommand?() { throw cut }
        do {
            return try await client.send(command)
        } catch {
            throw translated(error)
        }
    }

    func run(_ call: ScriptCall) async throws(StoreError) -> RedisValue {
        if let cut = beforeCommand?() { throw cut }
        do {
            return try await client.run(call.script, keys: call.keys, arguments: call.arguments)
        } catch {
            throw translated(error)
        }
    }

    /// Pipelines; the first error is thrown once all have ended.
    func send(_ commands: [RedisCommand]) async throws(StoreError) -> [RedisValue] {
        var replies: [RedisValue] = []
        replies.reserveCapacity(commands.count)
        for start in stride(from: 0, to: commands.count, by: RedisConnector.pipelineMaximum) {
            let part = Array(commands[start..<min(commands.count, start + RedisConnector.pipelineMaximum)])
            let (allowed, cut) = allowed(part)
            for result in await client.send(allowed) { replies.append(try value(result)) }
            if let cut { throw cut }
        }
        return replies
    }

    /// Pipelines of scripts; the first error is thrown once all have ended.
    func run(_ calls: [ScriptCall]) async throws(StoreError) -> [RedisValue] {
        var replies: [RedisValue] = []
        replies.reserveCapacity(calls.count)
        for start in stride(from: 0, to: calls.count, by: RedisConnector.pipelineMaximum) {
            let part = Array(calls[start..<min(calls.count, start + RedisConnector.pipelineMaximum)])
            let (allowed, cut) = allowed(part)
            let results = await client.send(allowed.map(\.command))
            for (call, result) in zip(allowed, results) {
                if case .failure(let error) = result, error.code == .reply("NOSCRIPT") {
                    replies.append(try value(await client.send([call.wholeCommand])[0]))
                } else {
                    replies.append(try value(result))
                }
            }
            if let cut { throw cut }
        }
        return replies
    }

    /// Those before the first that the test cuts off, which are sent all the same.
    private func allowed<Item>(_ items: [Item]) -> ([Item], StoreError?) {
        guard let beforeCommand else { return (items, nil) }
        for position in items.indices {
            if let cut = beforeCommand() { return (Array(items[..<position]), cut) }
        }
        return (items, nil)
    }

    private func value(_ result: Result<RedisValue, RedisError>) throws(StoreError) -> RedisValue {
        switch result {
        case .success(let value): return value
        case .failure(let error): throw translated(error)
        }
    }

    /// A command whose outcome is unknown may be repeated like one that was not sent: every operation of the store is made
    /// for it.
    private func translated(_ error: RedisError) -> StoreError {
        switch error.code {
        case .notSent, .unknown, .closed: return StoreError(.unavailable, error.message)
        case .full, .reply("OOM"): return StoreError(.full, error.message)
        case .refused, .misconfigured, .reply("NOAUTH"), .reply("WRONGPASS"), .reply("NOPERM"):
            return StoreError(.refused, error.message)
        case .reply("NOTREADY"):
            refusals.add(1, ordering: .acquiringAndReleasing)
            return StoreError(.notReady, error.message)
        case .reply("WRONGTYPE"): return StoreError(.corrupt, error.message)
        case .reply: return StoreError(.unavailable, error.message)
        }
    }
}

extension RedisConnector {
    /// Something that must be there is not; also forgets what is known of the registry.
    func notReady(_ message: String) -> StoreError {
        refusals.add(1, ordering: .acquiringAndReleasing)
        return StoreError(.notReady, message)
    }
}
