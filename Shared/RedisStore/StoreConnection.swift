package import RedisClient
import Store

/// The one way from the store to Redis: every error becomes the store's here.
package struct StoreConnection: Sendable {
    private let redis: RedisClient

    package init(_ redis: RedisClient) {
        self.redis = redis
    }

    func run(
        _ script: RedisScript, keys: [RedisArgument], arguments: [RedisArgument]
    ) async throws(StoreError) -> RedisValue {
        do throws(RedisError) {
            return try await redis.run(script, keys: keys, arguments: arguments)
        } catch {
            throw StoreError(error)
        }
    }

    func send(_ command: RedisCommand) async throws(StoreError) -> RedisValue {
        do throws(RedisError) {
            return try await redis.send(command)
        } catch {
            throw StoreError(error)
        }
    }

    /// One pipeline; fails as a whole with its first error.
    func send(_ commands: [RedisCommand]) async throws(StoreError) -> [RedisValue] {
        var answers: [RedisValue] = []
        for result in await redis.send(commands) {
            switch result {
            case .success(let answer): answers.append(answer)
            case .failure(let error): throw StoreError(error)
            }
        }
        return answers
    }
}

extension StoreError {
    init(_ error: RedisError) {
        let code: Code
        switch error.code {
        case .reply("OOM"): code = .full
        case .refused, .misconfigured, .reply("NOAUTH"), .reply("WRONGPASS"), .reply("NOPERM"): code = .refused
        case .reply("WRONGTYPE"): code = .corrupt
        // Every operation of the store may be repeated, also one that was executed without our knowing.
        default: code = .unavailable
        }
        self.init(code, error.description)
    }
}
