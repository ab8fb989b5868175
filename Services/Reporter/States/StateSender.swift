import Bus
import PushModel
import ServiceKit
import Store
import Synchronization

/// Posts states of messages and of devices that are due. Several reporters share the outbox.
final class StateSender: Service {
    /// Concurrent posts. One app has at most two for each shard.
    static let postsMaximum = 64
    private static let pulseLimit = Duration.seconds(120)

    let name = "states"
    private let outbox: any StateOutbox
    private let poster: StatePoster
    private let wakeup: StateWakeup
    private let hold: Duration
    /// Between reads of a shard for which no wakeup came.
    private let interval: Duration
    private let time: any TimeSource
    private let random: any RandomSource
    private let log: Log
    private let pulse: Pulse
    private let backoff = Backoff(first: .seconds(1), longest: .seconds(30))
    private let stopping = OneTimeEvent()
    private let posts = Mutex(0)

    /// `hold` is longer than an attempt takes: what a crashed reporter was posting is posted by another after this.
    init(_ outbox: any StateOutbox, poster: StatePoster, hold: Duration, interval: Duration) {
        self.outbox = outbox
        self.poster = poster
        self.hold = hold
        self.interval = interval
        wakeup = poster.wakeup
        time = poster.environment.time
        random = poster.environment.random
        log = poster.environment.log
        pulse = poster.environment.health.pulse(name, limit: StateSender.pulseLimit)
        pulse.rest()
    }

    /// On a stop the posts in progress are finished; the rest stays in the outbox.
    func run() async {
        await withDiscardingTaskGroup { group in
            var failures = 0
            var nextRead = time.uptime
            var asked: Set<OutboxShard> = []
            while true {
                let call = wakeup.listen()
                // A stop before this line is seen here; a later one wakes the wait.
                guard !stopping.hasHappened, !Task.isCancelled else { break }
                pulse.tick()
                asked.formUnion(wakeup.takeShards())
                let isReadDue = time.uptime >= nextRead
                // After a failure all shards wait for the next read.
                if isReadDue || failures == 0 && !asked.isEmpty {
                    let shards = isReadDue ? Set(OutboxShard.all) : asked
                    asked = []
                    do {
                        for shard in shards {
                            for queue in try await due(in: shard) { group.addTask { [self] in await post(queue) } }
                        }
                        failures = 0
                    } catch {
                        failures += 1
                        log.warning("outbox unavailable; retrying", [.error: "\(error)", .attempt: "\(failures)"])
                    }
                    if isReadDue || failures > 0 { nextRead = time.uptime + pause(afterFailures: failures) }
                }
                pulse.rest()
                _ = await call.wait(atMost: max(nextRead - time.uptime, .milliseconds(1)), time: time)
            }
        }
        pulse.rest()
    }

    func stop() {
        stopping.happen()
        wakeup.wake()
    }

    /// Leases no more than there is room for; the others are read at the next interval.
    private func due(in shard: OutboxShard) async throws(StoreError) -> [OutboxQueue] {
        let room = StateSender.postsMaximum - posts.withLock { $0 }
        guard room > 0 else { return [] }
        let queues = try await outbox.take(from: shard, upTo: room, for: hold)
        posts.withLock { $0 += queues.count }
        return queues
    }

    private func post(_ queue: OutboxQueue) async {
        await poster.post(queue)
        posts.withLock { $0 -= 1 }
    }

    private func pause(afterFailures failures: Int) -> Duration {
        failures == 0 ? interval : backoff.delay(afterAttempt: failures, random: random)
    }
}
