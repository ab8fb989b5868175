import ServiceKit
import TestSupport

/// Kills processes one after the other, and starts each again.
struct SoakKiller: Sendable {
    private let harness: Harness

    init(_ harness: Harness) {
        self.harness = harness
    }

    func perform(_ blows: [SoakPlan.Blow]) async throws -> [SoakKill] {
        var kills: [SoakKill] = []
        for blow in blows {
            try await SystemTimeSource().sleep(for: blow.pause)
            let begin = SystemTimeSource().now
            let victim = try await perform(blow.kind)
            kills.append(SoakKill(victim: victim, begin: begin, end: SystemTimeSource().now))
        }
        return kills
    }

    /// Returns the name of the victim.
    private func perform(_ kind: SoakPlan.Blow.Kind) async throws -> String {
        switch kind {
        case .killProcess(let place):
            let process = harness.running[place]
            await process.kill()
            try await process.start()
            return process.name
        case .killRedis:
            await harness.redis.kill9()
            try await harness.redis.restart()
            return SoakKill.redis
        case .brokersDown(let duration):
            guard case .kafka(let brokers) = harness.busServer else { preconditionFailure("only Kafka has brokers") }
            try await brokers.perform("broker down 1")
            try await SystemTimeSource().sleep(for: duration)
            try await brokers.perform("broker up 1")
            return SoakKill.brokers
        }
    }
}
