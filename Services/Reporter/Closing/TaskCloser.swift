import Bus
import PushModel
import ServiceKit
import Store
import Synchronization
import TaskKit
import TaskModel
import Topics

/// Advances a task as far as possible now, by performing the steps that `TaskWatch` decides.
final class TaskCloser: Sendable {
    /// The remaining work after a check.
    enum CheckResult: Equatable, Sendable {
        /// Another process handles the task, or nothing is left to do.
        case settled
        case open(again: Timestamp)
        case notify(TaskReport)
    }

    /// Between looks at a store that needs a rebuild.
    static let doubtPause = Duration.seconds(10)

    /// What is read when a task is closed, and needed afterwards.
    private struct Closing {
        var content: PushTask?
        var outcomes: TaskOutcomes?
    }

    private let stores: TaskStores
    private let untried: UntriedDevices
    private let producer: any BusProducer
    private let states: StateRecorder
    private let learner: OpenLearner
    private let expectsReports: @Sendable (AppID) -> Bool
    private let lease: Duration
    private let traceRetention: Duration
    private let time: any TimeSource
    private let log: Log
    private let meters: TaskMeters
    private let pauses = Mutex(CheckBackoff())

    init(
        _ stores: TaskStores, untried: UntriedDevices, producer: any BusProducer, states: StateRecorder,
        learner: OpenLearner, expectsReports: @escaping @Sendable (AppID) -> Bool, lease: Duration,
        traceRetention: Duration, environment: WorkerEnvironment
    ) {
        self.stores = stores
        self.untried = untried
        self.producer = producer
        self.states = states
        self.learner = learner
        self.expectsReports = expectsReports
        self.lease = lease
        self.traceRetention = traceRetention
        time = environment.time
        log = environment.log
        meters = TaskMeters(environment.metrics)
    }

    func check(_ check: CheckQueue.Check) async throws -> CheckResult {
        let task = check.task
        let epoch = stores.witness.epoch
        guard var watch = try await open(check) else { return .settled }
        var isCurrent = false
        var closing = Closing()
        while true {
            let step = watch.next(at: time.now, hasEndpoint: hasEndpoint(watch))
            if !isCurrent, step != .wait {
                // What was read may be of before, for example of a task that is reported: it would be reported once more.
                try await stores.witness.tick()
                guard !stores.witness.epoch.isDoubtful else { return .open(again: time.now + TaskCloser.doubtPause) }
                guard stores.witness.epoch == epoch else { return .open(again: time.now + CheckBackoff.first) }
                isCurrent = true
            }
            switch step {
            case .end(let ending):
                try await untried.end(
                    ending, task: task, in: try await stores.ledger.openSegments(of: task),
                    untried: try await untriedEnd(of: task))
                try await refresh(&watch, task: task)
            case .resolveJobs:
                try await resolveJobs(of: task, watch)
                try await refresh(&watch, task: task)
            case .close: closing = try await close(&watch, check: check)
            case .fix(let closed):
                let report = try await fix(task, watch: watch, content: closing.content, closed: closed)
                watch.stage = .reported(report, .fixed)
            case .publish(let report):
                try await publish(report, outcomes: closing.outcomes)
                watch.stage = .reported(report, .published)
            case .notify(let report): return .notify(report)
            case .finish(let report):
                try await finish(report)
                return .settled
            case .abandon(let reason):
                try await abandon(task, reason: reason)
                return .settled
            case .wait:
                // Results that closed nothing leave the agenda's time unchanged.
                let isTimely = check.isDue || watch.isNearlyDone
                return isTimely ? .open(again: again(task, watch: watch)) : .settled
            }
        }
    }

    /// Settles a report that needs no further post.
    func settle(_ report: TaskReport) async throws {
        try await finish(report)
    }

    func postpone(_ task: TaskID, until moment: Timestamp) async throws {
        try await stores.agenda.postpone(task, until: moment)
    }

    /// Nil if results came of a task that is reported, or was long ago: the agenda says when to check it.
    private func open(_ check: CheckQueue.Check) async throws -> TaskWatch? {
        let task = check.task
        let progress = try await stores.ledger.progress(of: task)
        if let progress, progress.closed == nil, !check.isDue { return TaskWatch(.open(progress), isDue: false) }
        if let report = try await stores.archive.report(of: task) {
            guard check.isDue else { return nil }
            let stage = try await stores.archive.reportStage(of: task)
            return TaskWatch(.reported(try TaskReport(decoding: report), stage), isDue: true)
        }
        if let progress {
            if progress.closed != nil, try await stores.archive.isReported(task) {
                // Its report has expired, and was settled long before.
                try await stores.agenda.finish(task)
                return nil
            }
            return TaskWatch(.open(progress), isDue: check.isDue)
        }
        guard check.isDue else { return nil }
        return TaskWatch(.unplanned(deadline: try await stores.archive.readableTask(task)?.deadline), isDue: true)
    }

    /// A device without a claim was not sent to, unless the store came back without the claim.
    private func untriedEnd(of task: TaskID) async throws -> DeliveryState {
        let epoch = stores.witness.epoch
        guard epoch.began != nil, let content = try await stores.archive.readableTask(task) else { return .expired }
        // A moment may have released the task before the time that is stored.
        let earliest = content.window?.opens ?? content.begins
        return epoch.mayHaveForgotten(tasksOf: earliest) ? .unknown : .expired
    }

    private func close(_ watch: inout TaskWatch, check: CheckQueue.Check) async throws -> Closing {
        guard case .open(let progress) = watch.stage else { return Closing() }
        let task = check.task
        // A check triggered by results holds no lease yet. The task is due soon anyway.
        async let leased: Void = check.isDue ? () : postpone(task, until: time.now + lease)
        async let content = stores.archive.readableTask(task)
        let closed = try await stores.ledger.closeWithOutcomes(task, after: progress)
        if let closed { watch.stage = .open(closed.progress) }
        try await leased
        return Closing(content: try await content, outcomes: closed?.outcomes)
    }

    private func refresh(_ watch: inout TaskWatch, task: TaskID) async throws {
        guard let progress = try await stores.ledger.progress(of: task) else { return }
        watch.stage = .open(progress)
    }

    private func fix(
        _ task: TaskID, watch: TaskWatch, content known: PushTask?, closed: Timestamp
    ) async throws -> TaskReport {
        guard case .open(let progress) = watch.stage else { preconditionFailure("only an open task is closed") }
        var content = known
        if content == nil { content = try await stores.archive.readableTask(task) }
        if content == nil { log.error("task content lost; the task is reported without it", [.task: "\(task)"]) }
        let report = TaskReport(
            task: task, app: progress.plan.app, dialect: content?.dialect ?? .native, created: content?.created,
            closed: closed, isCancelled: progress.isCancelled, lane: progress.plan.isFast ? .fast : .bulk,
            details: TaskCloser.details(of: content, progress: progress), reasons: progress.reasons,
            unmatched: progress.unmatched, count: { progress.counts[$0] })
        return try TaskReport(decoding: try await stores.archive.fix(report: report.encoded(), of: task))
    }

    private static func details(of content: PushTask?, progress: TaskProgress) -> ReportDetails {
        var details = content.map { ReportDetails(of: $0) } ?? ReportDetails()
        for (provider, counts) in progress.providers {
            details.platforms[Platform(provider), default: OutcomeCounts()].add(counts)
        }
        return details
    }

    /// The trace is kept before: an endpoint may delay the end of a task beyond the life of its ledger. The ledger is
    /// released before the report's stage is noted: after an interruption in between, it is released again. For an app
    /// without an endpoint that is noted when the task is finished, which follows.
    private func publish(_ report: TaskReport, outcomes: TaskOutcomes?) async throws {
        async let traced: Void = report.lane == .fast ? keepTrace(of: report, outcomes: outcomes) : ()
        async let noted: Void = states.noteEnd(of: report)
        if try await count(report) { try await learn(report) }
        try await traced
        try await noted
        try await producer.send([Topics.reports.message(report, key: report.key)])
        if report.lane == .fast { try await release(report.task, outcomes: outcomes) }
        if expectsReports(report.app) { try await stores.archive.advance(reportOf: report.task, to: .published) }
        meters.note(report)
        log.info(
            "task reported",
            [.task: "\(report.task)", .app: report.app.text, .count: "\(report.targeted)"])
    }

    private func release(_ task: TaskID, outcomes: TaskOutcomes?) async throws {
        guard let outcomes else { return try await stores.ledger.release(task) }
        try await stores.ledger.release(task, closedWith: outcomes)
    }

    /// A full store is tolerated: tasks in progress must still finish.
    private func keepTrace(of report: TaskReport, outcomes known: TaskOutcomes?) async throws {
        guard traceRetention > .zero, let created = report.created else { return }
        var outcomes = known
        if outcomes == nil { outcomes = try await stores.ledger.outcomes(of: report.task) }
        guard let outcomes else { return }
        let trace = TaskTrace(
            outcomes, dialect: report.dialect.rawValue, created: created, closed: report.closed,
            isCancelled: report.isCancelled, unmatched: report.unmatched,
            report: report.details.packed(created: created))
        do throws(StoreError) {
            try await stores.traces.keep(trace, of: report.task, for: traceRetention)
            // Tokens of Live Activities are no devices.
            guard !report.app.isSpace else { return }
            try await stores.deviceTasks.enter(
                report.task, closed: report.closed, under: outcomes.devices.map(\.index), of: report.app)
        } catch {
            guard error.code == .full else { throw error }
            meters.untraced.increment()
            log.warning("task trace not kept", [.task: "\(report.task)", .error: "\(error)"])
        }
    }

    /// Repeated after an interruption; the store adds each task once. A full store is tolerated, as above. Returns whether
    /// the task was added now.
    private func count(_ report: TaskReport) async throws -> Bool {
        do throws(StoreError) {
            return try await stores.statistics.fold(CountedTask(report))
        } catch {
            guard error.code == .full else { throw error }
            meters.uncounted.increment()
            log.warning("task missing from the statistics", [.task: "\(report.task)", .error: "\(error)"])
            return false
        }
    }

    private func learn(_ report: TaskReport) async throws {
        guard report.details.method != nil, report[.delivered] > 0, let sent = report.details.begins else { return }
        guard let window = try await stores.archive.readableTask(report.task)?.window else { return }
        try await learner.noteDelivery(
            to: UserKey(window.user, of: report.app), campaign: report.details.labels.campaign, sent: sent)
    }

    /// The archive expires first: after an interruption in between, the task is checked again and found reported.
    private func finish(_ report: TaskReport) async throws {
        let isFast = report.lane == .fast
        let hasTrace = isFast && traceRetention > .zero
        try await stores.archive.conclude(
            report.task, after: hasTrace ? TaskArchiveBounds.tracedRetention : TaskPlan.retention(isFast: isFast),
            provenFor: try await restOfWindow(of: report))
        try await stores.agenda.finish(report.task)
        pauses.withLock { $0.forget(report.task) }
    }

    /// A moment may have released the task long before the end of its window, for which it waited. A record of it that
    /// is delivered again until then must find it done.
    private func restOfWindow(of report: TaskReport) async throws -> Duration {
        guard report.details.method != nil, let task = try await stores.archive.readableTask(report.task),
            let window = task.window
        else { return .zero }
        return max(.zero, window.ends - report.closed) + TaskArchiveBounds.proofRetention(of: report.task)
    }

    private func abandon(_ task: TaskID, reason: String) async throws {
        meters.abandoned.increment()
        log.error("task abandoned without a report", [.task: "\(task)", .reason: reason])
        if let content = try await stores.archive.readableTask(task) { try await states.noteAbandoned(content) }
        try await stores.archive.giveUp(task, reason: reason)
        try await stores.agenda.finish(task)
        pauses.withLock { $0.forget(task) }
    }

    private func resolveJobs(of task: TaskID, _ watch: TaskWatch) async throws {
        guard case .open(let progress) = watch.stage else { return }
        let left = progress.plan.jobs - progress.jobsResolved
        log.error(
            "unresolved jobs skipped; the task is closed without them",
            [
                .task: "\(task)", .count: "\(left)",
            ])
        for job in 0..<progress.plan.jobs { try await stores.ledger.resolve(job: job, unmatched: 0, of: task) }
    }

    private func hasEndpoint(_ watch: TaskWatch) -> Bool {
        guard case .reported(let report, _) = watch.stage else { return false }
        return expectsReports(report.app)
    }

    private func again(_ task: TaskID, watch: TaskWatch) -> Timestamp {
        let now = time.now
        let pause = watch.isNearlyDone ? CheckBackoff.first : pauses.withLock { $0.next(task) }
        return min(now + pause, watch.turn(after: now) ?? now + pause)
    }
}
