import Bus
import PushModel
import ServiceKit
import Store
import TaskKit

/// Finishes swaps of tasks with one key that their requests left unfinished. Several schedulers share them.
final class SwapSweep: Service {
    static let interval = Duration.seconds(10)
    private static let swapsAtOnce = 16
    private static let pulseLimit = Duration.seconds(120)

    let name = "swaps"
    private let replacements: any TaskReplacements
    private let replacement: TaskReplacement
    /// While the store is rebuilt, pointers are missing.
    private let isRegistryReady: @Sendable () async throws -> Bool
    private let lease: Duration
    private let environment: WorkerEnvironment
    private let finished: Counter
    private let stopping = OneTimeEvent()

    init(
        _ replacements: any TaskReplacements, replacement: TaskReplacement,
        isRegistryReady: @escaping @Sendable () async throws -> Bool, lease: Duration,
        environment: WorkerEnvironment
    ) {
        self.replacements = replacements
        self.replacement = replacement
        self.isRegistryReady = isRegistryReady
        self.lease = lease
        self.environment = environment
        finished = environment.metrics.counter(.schedulerSwapsFinished)
    }

    func run() async {
        let pulse = environment.health.pulse(name, limit: SwapSweep.pulseLimit + lease)
        while !stopping.hasHappened, !Task.isCancelled {
            pulse.tick()
            if await sweep() { continue }
            pulse.rest()
            _ = await stopping.wait(atMost: SwapSweep.interval, time: environment.time)
        }
        pulse.rest()
    }

    func stop() {
        stopping.happen()
    }

    /// True if there may be more. One that fails comes back when its lease expires.
    private func sweep() async -> Bool {
        do {
            guard try await isRegistryReady() else { return false }
            let due = try await replacements.take(upTo: SwapSweep.swapsAtOnce, for: lease)
            _ = try await due.concurrentMap(atOnce: SwapSweep.swapsAtOnce, finish)
            return due.count == SwapSweep.swapsAtOnce
        } catch {
            environment.log.warning("unfinished replacements not read; retrying", [.error: "\(error)"])
            return false
        }
    }

    private func finish(_ lease: SwapLease) async {
        do {
            try await replacement.resume(lease)
            finished.increment()
        } catch {
            environment.log.warning(
                "replacement not finished; retrying",
                [.task: "\(lease.swap.task)", .app: lease.swap.key.app.text, .error: "\(error)"])
        }
    }
}
