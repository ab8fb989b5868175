import Bus
import ServiceKit
import Store

/// Releases the orders of one shard as they become due. Several schedulers do so concurrently; the index leases each
/// order to one of them.
final class EntryReleaser: Service {
    /// Maximum sleep: a scheduler that crashed may have taken in orders without waking any releaser.
    static let restMaximum = Duration.seconds(10)
    /// The default for a shard in which resolvers park jobs, which wakes no releaser: the first push of a long list may
    /// wait for one of them.
    static let jobRestMaximum = Duration.milliseconds(500)
    private static let pulseLimit = Duration.seconds(120)

    let name: String
    private let shard: RetryShard
    private let index: any RetryIndex
    private let release: any EntryRelease
    private let wakeup: EntryWakeup
    private let lease: Duration
    private let restMaximum: Duration
    private let environment: WorkerEnvironment
    private let meters: EntryMeters
    private let backoff = Backoff(first: .milliseconds(200), longest: .seconds(10))
    private let stopping = OneTimeEvent()

    init(
        _ shard: RetryShard, index: any RetryIndex, release: any EntryRelease, wakeup: EntryWakeup, lease: Duration,
        restMaximum: Duration = EntryReleaser.restMaximum, environment: WorkerEnvironment
    ) {
        name = shard.kind == .tasks ? "scheduled \(shard)" : "retries \(shard)"
        self.shard = shard
        self.index = index
        self.release = release
        self.wakeup = wakeup
        self.lease = lease
        self.restMaximum = restMaximum
        self.environment = environment
        meters = EntryMeters(environment.metrics, shard: shard)
    }

    func run() async {
        let pulse = environment.health.pulse(name, limit: EntryReleaser.pulseLimit + lease)
        var failures = 0
        while true {
            let call = wakeup.listen()
            // A stop before this line is seen here; a later one wakes the wait.
            guard !stopping.hasHappened, !Task.isCancelled else { break }
            pulse.tick()
            do {
                let rest = try await step()
                failures = 0
                guard let rest else { continue }
                pulse.rest()
                _ = await call.wait(atMost: rest, time: environment.time)
            } catch {
                failures += 1
                environment.log.warning(
                    "release failed", [.reason: "\(shard)", .error: "\(error)", .attempt: "\(failures)"])
                pulse.rest()
                let pause = backoff.delay(afterAttempt: failures, random: environment.random)
                _ = await stopping.wait(atMost: pause, time: environment.time)
            }
        }
        pulse.rest()
    }

    func stop() {
        stopping.happen()
        wakeup.wake()
    }

    /// Releases due orders; returns nil if there may be more, else how long there is nothing to do.
    private func step() async throws -> Duration? {
        let lease = try await index.lease(upTo: type(of: release).entriesMaximum, for: lease, in: shard)
        guard lease.entries.isEmpty else {
            try await releaseEntries(of: lease)
            return nil
        }
        let outlook = try await index.outlook(of: shard)
        meters.held.set(outlook.depth)
        guard let untilNext = outlook.untilNext, untilNext < restMaximum else {
            wakeup.await(outlook.now + restMaximum)
            return restMaximum
        }
        if let next = outlook.next { wakeup.await(next) }
        return untilNext
    }

    private func releaseEntries(of lease: RetryLease) async throws {
        do {
            meters.note(try await release.perform(lease, shard: shard), lease: lease)
        } catch {
            // The rest of the lease comes back when it expires; this only saves the wait.
            try? await index.giveBack(lease, in: shard)
            throw error
        }
    }
}
