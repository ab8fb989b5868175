package import ServiceKit

/// What is asked of a Redis before it counts as ready.
package enum RedisDurability: String, CaseIterable, Sendable {
    /// It has written what it acknowledges.
    case always
    /// It may lose acknowledged writes when it is killed: the operator accepts that.
    case any
}

extension RedisClient {
    /// Sooner than `Health` gives up asking, so that the reason is Redis' own.
    package static let questionDeadline = Duration.milliseconds(1_500)

    /// Throws what Redis refuses everything with, such as a user without rights, or a disk on which it cannot write.
    package func checkAnswers() async throws(RedisError) {
        _ = try await send(RedisCommand("PING"), deadline: RedisClient.questionDeadline)
    }

    /// Whether what Redis acknowledges survives its death. One that hides its settings, as managed servers do, is taken to
    /// be as durable as its manual says.
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

    /// Names and values in turn, as `CONFIG GET` lists them.
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
