package import Bus
import ServiceKit
package import Store
import Synchronization
import Topics

/// Checks at the start of a service whether there is a registry. Creates an empty one if the log is empty, and
/// otherwise leaves it to the operator: a store that lost its data must not look like one without devices.
package final class RegistryOpening: Service {
    package let name = "registry opening"
    private let bus: any Bus
    private let maintenance: any RegistryMaintenance
    private let environment: WorkerEnvironment
    private let stopRequested = OneTimeEvent()
    private let attempting = Mutex<Task<Void, Never>?>(nil)
    private let backoff = Backoff(first: .milliseconds(100), longest: .seconds(5))

    package init(bus: any Bus, maintenance: any RegistryMaintenance, environment: WorkerEnvironment) {
        self.bus = bus
        self.maintenance = maintenance
        self.environment = environment
        environment.health.addReadinessCheck("registry") { await RegistryOpening.readiness(of: maintenance) }
    }

    package func run() async throws {
        let attempts = Task { await untilDecided() }
        attempting.withLock { $0 = attempts }
        await stopRequested.wait()
        attempts.cancel()
        await attempts.value
    }

    package func stop() {
        stopRequested.happen()
    }

    /// Returns the state after opening; throws while the store or the log is unavailable.
    package func open() async throws -> RegistryState {
        guard try await maintenance.state() == .absent else { return try await maintenance.state() }
        guard try await isLogEmpty() else { return .absent }
        try await maintenance.initialize()
        environment.log.info("empty registry created: the registry log is empty")
        return try await maintenance.state()
    }

    private func untilDecided() async {
        var attempt = 0
        while !Task.isCancelled {
            do {
                return tell(try await open())
            } catch {
                attempt += 1
                environment.log.warning(
                    "registry cannot be opened: retrying", [.error: "\(error)", .attempt: "\(attempt)"])
                try? await environment.time.sleep(
                    for: backoff.delay(afterAttempt: attempt, random: environment.random))
            }
        }
    }

    private func tell(_ state: RegistryState) {
        guard let obstacle = state.obstacle else { return }
        environment.log.error("registry not ready", [.reason: obstacle])
    }

    private func isLogEmpty() async throws -> Bool {
        var isEmpty = true
        try await bus.scan(Topics.registry.channel) { _ in
            isEmpty = false
            return false
        }
        return isEmpty
    }

    private static func readiness(of maintenance: any RegistryMaintenance) async -> Health.Readiness {
        do {
            return try await maintenance.state().obstacle.map { .notReady($0) } ?? .ready
        } catch {
            return .notReady("\(error)")
        }
    }
}

extension RegistryState {
    /// Why the registry cannot be used, and what to do.
    fileprivate var obstacle: String? {
        switch self {
        case .ready: nil
        case .absent: "Redis has no registry, but the log has records: run carillon rebuild"
        case .rebuilding: "rebuild in progress; if no carillon rebuild is running, run it again"
        }
    }
}
