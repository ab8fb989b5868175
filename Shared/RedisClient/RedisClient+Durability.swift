package import ServiceKit

/// Durability that a Redis must have to count as ready.
package enum RedisDurability: String, CaseIterable, Sendable {
    /// It writes to disk before it acknowledges.
    case always
    /// It may lose acknowledged writes if it is killed; the operator accepts that.
    case any
}

extension RedisClient {
    /// Shorter than the timeout of `Health`, so that the reported reason is Redis' own.
    package static let questionDeadline = Duration.milliseconds(1_500)

    /// Throws if Redis refuses every command, for instance for a user without rights or a full disk.
    package func checkAnswers() async throws(RedisError) {
        _ = try await send(RedisCommand("PING"), deadline: RedisClient.questionDeadline)
    }

    /// Ready if acknowledged writes survive a crash of Redis. A server that hides its settings, as managed servers do,
    /// is assumed to be durable.
    package func durability() async throws(RedisError) -> Health.Readiness {
        do throws(RedisError) {
            let settings = try await send(
                RedisCommand("CONFIG", "GET", "append*", "maxmemory-policy"), deadline: RedisClient.questionDeadline)
            return RedisClient.durability(of: settings.array?.compactMap(\.string) ?? [])
        } catch {
            guard error.code == .reply("NOPERM") || error.code == .reply("ERR") else { throw error }
            return .ready
        }
    }

    /// Names and values alternate, as `CONFIG GET` lists them.
    private static func durability(of settings: [String]) -> Health.Readiness {
        let wanted = [("appendonly", "yes"), ("appendfsync", "always"), ("maxmemory-policy", "noeviction")]
        let wrong = wanted.filter { name, value in
            !zip(settings, settings.dropFirst()).contains { $0 == (name, value) }
        }
        guard !wrong.isEmpty else { return .ready }
        let cure = wrong.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        return .notReady("Redis would lose acknowledged writes: set \(cure)")
    }
}
