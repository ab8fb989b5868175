import Bus
import PushModel
import ServiceKit
import Store
import Topics

/// Checks tasks that are due or have new results, and posts reports. Several reporters share the agenda.
final class TaskSweeper: Service {
    private static let pulseLimit = Duration.seconds(120)

    let name = "tasks"
    private let queue: ReportingQueue
    private let agenda: any TaskAgenda
    private let closer: TaskCloser
    private let poster: ReportPoster
    private let lease: Duration
    /// Between reads of the agenda.
    private let interval: Duration
    private let time: any TimeSource
    private let random: any RandomSource
    private let log: Log
    private let pulse: Pulse
    private let open: Gauge
    private let backoff = Backoff(first: .seconds(1), longest: .seconds(30))
    private let stopping = OneTimeEvent()

    init(
        queue: ReportingQueue, agenda: any TaskAgenda, closer: TaskCloser, poster: ReportPoster, lease: Duration,
        interval: Duration, environment: WorkerEnvironment
    ) {
        self.queue = queue
        self.agenda = agenda
        self.closer = closer
        self.poster = poster
        self.lease = lease
        self.interval = interval
        time = environment.time
        random = environment.random
        log = environment.log
        pulse = environment.health.pulse(name, limit: TaskSweeper.pulseLimit)
        pulse.rest()
        open = environment.metrics.gauge(.reporterTasksOpen)
    }

    /// On a stop the work in progress is finished; the rest stays in the agenda.
    func run() async {
        await withDiscardingTaskGroup { group in
            var failures = 0
            var nextTake = time.uptime
            var isMore = false
            while true {
                let call = queue.listen()
                // A stop before this line is seen here; a later one wakes the wait.
                guard !stopping.hasHappened, !Task.isCancelled else { break }
                pulse.tick()
                if time.uptime >= nextTake || isMore && queue.room >= ReportingQueue.checksMaximum {
                    isMore = await takeDue(&failures)
                    nextTake = time.uptime + pause(afterFailures: failures)
                }
                while let work = queue.next() { group.addTask { [self] in await perform(work) } }
                pulse.rest()
                let wake = min(nextTake, queue.nextWake ?? nextTake)
                _ = await call.wait(atMost: max(wake - time.uptime, .milliseconds(1)), time: time)
            }
        }
        pulse.rest()
    }

    func stop() {
        stopping.happen()
        queue.wake()
    }

    private func pause(afterFailures failures: Int) -> Duration {
        failures == 0 ? interval : backoff.delay(afterAttempt: failures, random: random)
    }

    /// True if there may be more: they are taken as soon as there is room, not at the next interval.
    private func takeDue(_ failures: inout Int) async -> Bool {
        let room = queue.room
        guard room > 0 else { return true }
        do {
            let due = try await agenda.take(upTo: room, for: lease)
            if !due.isEmpty { queue.want(due, isDue: true) }
            open.set(try await agenda.count())
            failures = 0
            return due.count == room
        } catch {
            failures += 1
            log.warning("task agenda unavailable; retrying", [.error: "\(error)", .attempt: "\(failures)"])
            return false
        }
    }

    private func perform(_ work: ReportingQueue.Work) async {
        switch work {
        case .check(let check): await perform(check)
        case .post(let report):
            await poster.post(report)
            queue.finishPost(report)
        }
    }

    /// A task whose check failed is due again when its lease expires; one checked for its results has its time in the
    /// agenda.
    private func perform(_ check: CheckQueue.Check) async {
        do {
            switch try await closer.check(check) {
            case .settled: break
            case .open(let again): try await closer.postpone(check.task, until: again)
            case .notify(let report):
                if !queue.offer(report) {
                    let now = time.now
                    let pause = CheckBackoff.again(waited: now - report.closed, random)
                    try await closer.postpone(check.task, until: now + pause)
                }
            }
        } catch {
            log.warning("task check delayed: dependency unavailable", [.task: "\(check.task)", .error: "\(error)"])
        }
        queue.finishCheck(check.task)
    }
}
