import Bus
import PushModel
import ServiceKit
import Store
import Topics

/// Looks at tasks whose time has come or of which results came, and posts reports. Several reporters share the agenda.
final class TaskSweeper: Service {
    /// How often the agenda is asked.
    static let interval = Duration.seconds(1)
    private static let pulseLimit = Duration.seconds(120)

    let name = "tasks"
    private let desk: ReportingQueue
    private let agenda: any TaskAgenda
    private let care: TaskCloser
    private let poster: ReportPoster
    private let lease: Duration
    private let time: any TimeSource
    private let random: any RandomSource
    private let log: Log
    private let pulse: Pulse
    private let open: Gauge
    private let backoff = Backoff(first: .seconds(1), longest: .seconds(30))
    private let stopping = OneTimeEvent()

    init(
        desk: ReportingQueue, agenda: any TaskAgenda, care: TaskCloser, poster: ReportPoster, lease: Duration,
        environment: WorkerEnvironment
    ) {
        self.desk = desk
        self.agenda = agenda
        self.care = care
        self.poster = poster
        self.lease = lease
        time = environment.time
        random = environment.random
        log = environment.log
        pulse = environment.health.pulse(name, limit: TaskSweeper.pulseLimit)
        pulse.rest()
        open = environment.metrics.gauge(.reporterTasksOpen)
    }

    /// What is under way when it is told to stop is finished; the rest is in the agenda.
    func run() async {
        await withDiscardingTaskGroup { group in
            var failures = 0
            var nextTake = time.uptime
            while true {
                let call = desk.listen()
                // A stop before this line is seen here, one after it rings.
                guard !stopping.hasHappened, !Task.isCancelled else { break }
                pulse.tick()
                if time.uptime >= nextTake {
                    let isMore = await takeDue(&failures)
                    nextTake = isMore ? time.uptime : time.uptime + pause(afterFailures: failures)
                }
                while let work = desk.next() { group.addTask { [self] in await perform(work) } }
                pulse.rest()
                let wake = min(nextTake, desk.nextWake ?? nextTake)
                _ = await call.wait(atMost: max(wake - time.uptime, .milliseconds(1)), time: time)
            }
        }
        pulse.rest()
    }

    func stop() {
        stopping.happen()
        desk.ring()
    }

    private func pause(afterFailures failures: Int) -> Duration {
        failures == 0 ? TaskSweeper.interval : backoff.delay(afterAttempt: failures, random: random)
    }

    /// True when there may be more, and room for them.
    private func takeDue(_ failures: inout Int) async -> Bool {
        let room = desk.room
        guard room > 0 else { return false }
        do {
            let due = try await agenda.take(upTo: room, for: lease)
            if !due.isEmpty { desk.want(due, isDue: true) }
            open.set(try await agenda.count())
            failures = 0
            return due.count == room && desk.room > 0
        } catch {
            failures += 1
            log.warning("the agenda of tasks cannot be read", [.error: "\(error)", .attempt: "\(failures)"])
            return false
        }
    }

    private func perform(_ work: ReportingQueue.Work) async {
        switch work {
        case .look(let look): await perform(look)
        case .post(let report):
            await poster.post(report)
            desk.finishPost(report)
        }
    }

    /// A task that could not be looked at is due again when its lease is over; one that results spoke of has its time in
    /// the agenda.
    private func perform(_ look: CheckQueue.Look) async {
        do {
            switch try await care.look(look) {
            case .settled: break
            case .open(let again): try await care.postpone(look.task, until: again)
            case .notify(let report):
                if !desk.offer(report) {
                    let now = time.now
                    let pause = CheckBackoff.again(waited: now - report.closed, random)
                    try await care.postpone(look.task, until: now + pause)
                }
            }
        } catch {
            log.warning("a task waits for something it needs", [.task: "\(look.task)", .error: "\(error)"])
        }
        desk.finishLook(look.task)
    }
}
