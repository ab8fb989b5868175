import JSONKit
import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskModel
import TestSupport
import Testing
import Topics

@testable import Reporter

/// A task from open to reported.
@Suite(.timeLimit(.minutes(5))) struct TaskCloserTests {
    private func check(_ task: PushTask, isDue: Bool = true) -> CheckQueue.Check {
        CheckQueue.Check(task: task.id, isDue: isDue)
    }

    @Test func aTaskThatIsDoneIsClosedReportedAndForgotten() async throws {
        let fixture = try ReporterFixture()
        let ids = try await fixture.register(6)
        let task = try fixture.begin(1, devices: ids) { $0.dialect = .richie }
        let ends: [DeliveryState] = [.delivered, .failed, .invalid, .invalidRemoved, .suppressed, .unknown]
        for (id, state) in zip(ids, ends) { try await fixture.end([id], task: task.id, as: state) }
        fixture.time.advance(by: .milliseconds(765))
        let closer = try await fixture.closer()
        #expect(try await closer.check(check(task)) == .settled)
        let report = try #require(try await fixture.reports().first)
        #expect(try await fixture.reports().count == 1)
        for state in ends { #expect(report[state] == 1) }
        #expect(report.targeted == 6 && report.dialect == .richie && !report.isCancelled && report.lane == .bulk)
        #expect(report.completionTime == .milliseconds(765))
        #expect(report.id == "\(task.id)/report")
        #expect(fixture.archive.report(of: task.id) == report.encoded())
        #expect(fixture.agenda.count() == 0)
    }

    @Test func aTaskWithoutDevicesCountsZero() async throws {
        let fixture = try ReporterFixture()
        let task = try fixture.begin(1, devices: [])
        #expect(try await fixture.closer().check(check(task)) == .settled)
        #expect(try await fixture.reports().map(\.targeted) == [0])
        #expect(fixture.agenda.count() == 0)
    }

    /// The last results close a task; earlier ones do not change it.
    @Test func theLastResultsCloseATask() async throws {
        let fixture = try ReporterFixture()
        let ids = try await fixture.register(2)
        let task = try fixture.begin(1, devices: ids)
        try await fixture.end([ids[0]], task: task.id, as: .delivered)
        let closer = try await fixture.closer()
        #expect(try await closer.check(check(task, isDue: false)) == .settled)
        #expect(try await fixture.reports().isEmpty)
        #expect(fixture.agenda.take(upTo: 1, for: .zero) == [task.id], "its due time in the agenda is unchanged")
        try await fixture.end([ids[1]], task: task.id, as: .delivered)
        #expect(try await closer.check(check(task, isDue: false)) == .settled)
        #expect(try await fixture.reports().map { $0[.delivered] } == [2])
        // Repeated results find the task reported; results of an unknown task do not abandon it.
        #expect(try await closer.check(check(task, isDue: false)) == .settled)
        let stranger = PushTask(id: TaskID(high: 1, low: 1), app: fixture.app, created: fixture.time.now)
        #expect(try await closer.check(check(stranger, isDue: false)) == .settled)
        #expect(try await fixture.reports().count == 1)
        #expect(fixture.metrics.counter(.reporterTasksAbandoned).value == 0)
    }

    /// The pause grows without progress, ends at the deadline, and is short while only a job is missing.
    @Test func anOpenTaskIsLookedAtAgain() async throws {
        let fixture = try ReporterFixture()
        let ids = try await fixture.register(1)
        let task = try fixture.begin(1, devices: ids, timeToLive: .seconds(100), resolves: false)
        let closer = try await fixture.closer()
        for pause in [1, 2, 4, 8, 16, 32, 37] {
            let again = fixture.time.now + .seconds(pause)
            #expect(try await closer.check(check(task)) == .open(again: again))
            fixture.time.advance(by: .seconds(pause))
        }
        #expect(fixture.time.now == task.deadline)
        let soon = fixture.time.now + CheckBackoff.first
        #expect(try await closer.check(check(task)) == .open(again: soon))
        #expect(try await fixture.results().map { $0.results.map(\.state) } == [[.expired]])
        try fixture.ledger.resolve(job: 0, of: task.id)
        #expect(try await closer.check(check(task)) == .settled)
        #expect(try await fixture.reports().map { $0[.expired] } == [1])
    }

    /// At the deadline unsent devices expire, a dead sender's are unknown, a running sender's stay open for a while.
    @Test func theDeadlineEndsUnclaimedDevices() async throws {
        let fixture = try ReporterFixture()
        let ids = try await fixture.register(4)
        let task = try fixture.begin(1, devices: ids, timeToLive: .seconds(100))
        fixture.claim([ids[1]], task: task.id, lease: .seconds(1))
        fixture.claim([ids[2]], task: task.id, lease: .seconds(200))
        #expect(try await fixture.registry.remove(ids[3], in: fixture.app))
        fixture.time.advance(by: .seconds(100))
        let closer = try await fixture.closer()
        #expect(try await closer.check(check(task)) != .settled)
        let reported = try await fixture.results().flatMap(\.results)
        #expect(Set(reported.map(\.device)) == [ids[0], ids[1]])
        #expect(reported.first { $0.device == ids[1] }?.state == .unknown)
        #expect(fixture.metrics.counter(.reporterDevicesUnreported).value == 1)
        try await fixture.end([ids[2]], task: task.id, as: .delivered)
        fixture.time.advance(by: .seconds(200))
        #expect(try await closer.check(check(task)) == .settled)
        let report = try #require(try await fixture.reports().first)
        #expect(report[.expired] == 2 && report[.unknown] == 1 && report[.delivered] == 1 && report.targeted == 4)
    }

    /// If a task was accepted before the store's rollback, the unsent devices cannot be determined.
    @Test(arguments: [DeliveryState.unknown, .expired])
    func aDeviceOfWhichTheClaimMayBeForgottenIsUnknown(end: DeliveryState) async throws {
        let fixture = try ReporterFixture()
        let ids = try await fixture.register(1)
        let task = try fixture.begin(1, devices: ids, timeToLive: .seconds(100))
        let began = end == .unknown ? task.created + .milliseconds(1) : task.created
        fixture.witness.say(LedgerEpoch(began: began, isDoubtful: false))
        fixture.time.advance(by: .seconds(100))
        #expect(try await fixture.closer().check(check(task)) == .settled)
        #expect(try await fixture.reports().map { $0[end] } == [1])
        #expect(try await fixture.results().map { $0.results.map(\.state) } == [[end]])
    }

    /// Goal: a task that was reported before the store came back with older data is not reported once more from it.
    /// Method: a task that could be closed, and a store that needs a rebuild, as the process knows or not yet.
    @Test(arguments: [false, true]) func nothingIsClosedBeforeARebuild(isUnnoticed: Bool) async throws {
        let fixture = try ReporterFixture()
        let ids = try await fixture.register(1)
        let task = try fixture.begin(1, devices: ids)
        try await fixture.end(ids, task: task.id, as: .delivered)
        fixture.witness.say(LedgerEpoch(began: fixture.time.now, isDoubtful: true), atTick: isUnnoticed)
        let closer = try await fixture.closer()
        #expect(try await closer.check(check(task)) == .open(again: fixture.time.now + TaskCloser.doubtPause))
        #expect(try await fixture.reports().isEmpty && fixture.archive.report(of: task.id) == nil)
        fixture.witness.say(LedgerEpoch(began: fixture.time.now, isDoubtful: false))
        #expect(try await closer.check(check(task)) == .settled)
        #expect(try await fixture.reports().count == 1)
    }

    /// The same for one that a moment may have released before the time that is stored.
    @Test func aTaskWithAWindowMayHaveBegunBeforeItsTime() async throws {
        let fixture = try ReporterFixture()
        let ids = try await fixture.register(1)
        let opens = fixture.time.now
        let user = try Alias(.externalUser, value: "ada")
        let task = try fixture.begin(1, devices: ids) { task in
            task.window = DeliveryWindow(from: opens, to: opens + .seconds(100), user: user, method: .contextAware)
            task.sendAt = opens + .seconds(90)
        }
        fixture.witness.say(LedgerEpoch(began: opens + .seconds(10), isDoubtful: false))
        fixture.time.advance(by: .seconds(100))
        #expect(try await fixture.closer().check(check(task)) == .settled)
        #expect(try await fixture.results().map { $0.results.map(\.state) } == [[.unknown]])
    }

    @Test func aCancelledTaskEndsWhatWasHandedBackSince() async throws {
        let fixture = try ReporterFixture()
        let ids = try await fixture.register(3)
        let task = try fixture.begin(1, devices: ids)
        let segment = SegmentID(fixture.app, number: ids[0].index.segment)
        // The API cancels the unclaimed devices and crashes before it has sent their results.
        fixture.claim([ids[2]], task: task.id, lease: .seconds(10))
        _ = fixture.ledger.cancel(task.id, in: segment)
        let closer = try await fixture.closer()
        _ = try await closer.check(check(task))
        let reported = try await fixture.results().flatMap(\.results)
        let expected = Set(ids.filter { $0.index.segment == segment.number }).subtracting([ids[2]])
        #expect(Set(reported.map(\.device)) == expected)
        #expect(reported.allSatisfy { $0.state == .cancelled && $0.reason == "cancelled" })
        try await fixture.end([ids[2]], task: task.id, as: .delivered)
        #expect(try await closer.check(check(task)) == .settled)
        let report = try #require(try await fixture.reports().first)
        #expect(report.isCancelled && report[.delivered] == 1 && report[.cancelled] == 2)
    }

    @Test func aTaskThatWasNeverPlannedIsGivenUp() async throws {
        let fixture = try ReporterFixture()
        let task = PushTask(id: TaskID(high: 1, low: 1), app: fixture.app, created: fixture.time.now)
        let entry = TaskEntry(app: fixture.app, begins: task.created, deadline: task.deadline)
        fixture.archive.keep(TaskMessage.task(task).encoded(), of: task.id, entry: entry)
        fixture.agenda.enter(task.id, due: fixture.time.now)
        let closer = try await fixture.closer()
        #expect(try await closer.check(check(task)) == .open(again: fixture.time.now + CheckBackoff.first))
        fixture.time.advance(by: task.options.timeToLive + TaskWatch.grace)
        #expect(try await closer.check(check(task)) == .settled)
        #expect(fixture.agenda.count() == 0)
        #expect(fixture.metrics.counter(.reporterTasksAbandoned).value == 1)
        #expect(fixture.archive.reasonGivenUp(task.id) == "it was never planned")
        #expect(fixture.sink.lines.contains { $0.contains("task abandoned") && $0.contains("never planned") })
    }

    @Test func unresolvedJobsKeepNoTaskOpenForEver() async throws {
        let fixture = try ReporterFixture()
        let ids = try await fixture.register(1)
        let task = try fixture.begin(1, devices: ids, jobs: 3, resolves: false)
        fixture.time.advance(by: task.options.timeToLive + TaskWatch.grace)
        #expect(try await fixture.closer().check(check(task)) == .settled)
        #expect(try await fixture.reports().map { $0[.expired] } == [1])
        #expect(fixture.sink.lines.contains { $0.contains("unresolved jobs") })
    }

    /// Goal: wherever a reporter is killed, the next one produces the same report under the same id, with exact sums,
    /// and a result for every device that ended untried. Method: a crash before and after each change, one after the
    /// other, until a check completes.
    @Test(arguments: [TaskWatch.Ending?.none, .deadline, .cancellation])
    func cutOffAnywhereItComesToTheSame(_ ending: TaskWatch.Ending?) async throws {
        var steps = 0
        while true {
            let fixture = try ReporterFixture()
            let ids = try await fixture.register(8)
            let task = try fixture.begin(1, devices: ids)
            try await fixture.end(Array(ids[..<3]), task: task.id, as: .delivered)
            try await fixture.end([ids[3]], task: task.id, as: .failed)
            let segments = Set(ids.map { SegmentID(fixture.app, number: $0.index.segment) })
            switch ending {
            case nil: try await fixture.end(Array(ids[4...]), task: task.id, as: .delivered)
            case .deadline:
                // Its sender crashes, so that it ends as unknown.
                fixture.claim([ids[4]], task: task.id)
                fixture.time.advance(by: task.options.timeToLive)
            case .cancellation: for segment in segments { _ = fixture.ledger.cancel(task.id, in: segment) }
            }
            fixture.scissors.cut(after: steps)
            let isWhole = (try? await fixture.closer().check(check(task))) != nil
            fixture.scissors.cut(after: nil)
            if !isWhole {
                // Earlier results may be repeated before the task is due in the agenda.
                _ = try await fixture.closer().check(check(task, isDue: false))
                #expect(try await fixture.closer().check(check(task)) == .settled)
            }
            let reports = try await fixture.reports()
            #expect(Set(reports.map(\.id)) == ["\(task.id)/report"], "cut after \(steps)")
            #expect(Set(reports).count == 1 && reports.count <= 2, "cut after \(steps)")
            let untried: DeliveryState = ending == .deadline ? .expired : ending == nil ? .delivered : .cancelled
            #expect(reports.first?.targeted == 8 && reports.first?[.failed] == 1)
            let unknown = ending == .deadline ? 1 : 0
            #expect(reports.first?[.unknown] == unknown, "cut after \(steps)")
            #expect(reports.first?[untried] == (ending == nil ? 7 : 4 - unknown), "cut after \(steps)")
            #expect(Set(try await fixture.results().flatMap(\.results).map(\.device)) == Set(ids), "cut after \(steps)")
            #expect(fixture.archive.report(of: task.id) == reports.first?.encoded())
            #expect(fixture.agenda.count() == 0, "cut after \(steps)")
            let counted = fixture.counted()
            #expect(counted.map(\.sums.tasks) == [1], "cut after \(steps)")
            #expect(counted.first?.sums.outcomes == reports.first?.counts, "cut after \(steps)")
            if isWhole { break }
            steps += 1
        }
        #expect(steps >= 8)
    }

    @Test func aTaskForFewLeavesATrace() async throws {
        let fixture = try ReporterFixture()
        let ids = try await fixture.register(3)
        let task = try fixture.begin(1, devices: ids, isFast: true, unmatched: 6) { $0.dialect = .richie }
        try await fixture.end(Array(ids[..<2]), task: task.id, as: .delivered)
        try await fixture.end([ids[2]], task: task.id, as: .failed)
        #expect(try await fixture.closer().check(check(task)) == .settled)
        let trace = try #require(fixture.traces.trace(of: task.id, created: nil))
        #expect(trace.dialect == "richie" && trace.created == task.created && !trace.isCancelled)
        let report = try #require(try await fixture.reports().first)
        #expect(trace.closed == report.closed && trace.unmatched == 6 && report.unmatched == 6)
        fixture.time.advance(by: TaskPlan.retention(isFast: true))
        #expect(fixture.ledger.progress(of: task.id) == nil, "its ledger is removed an hour after its report")
        let ends = Dictionary(uniqueKeysWithValues: trace.outcomes.devices.map { ($0.index, $0.state) })
        #expect(ends == [ids[0].index: .delivered, ids[1].index: .delivered, ids[2].index: .failed])
        fixture.time.advance(
            by: TaskTraceBounds.retention - TaskPlan.retention(isFast: true) - .milliseconds(1))
        #expect(fixture.traces.trace(of: task.id, created: nil) == trace)
        fixture.time.advance(by: .milliseconds(1))
        #expect(fixture.traces.trace(of: task.id, created: nil) == nil)
    }

    /// Goal: a crash in the closing of a fast-lane task, followed by days without a reporter, loses neither a count nor
    /// the trace. Method: a crash before and after each change; the next reporter starts three days later.
    @Test func aLongAbsenceWithinTheClosingLosesNothing() async throws {
        var steps = 0
        while true {
            let fixture = try ReporterFixture()
            let ids = try await fixture.register(3)
            let task = try fixture.begin(1, devices: ids, isFast: true)
            try await fixture.end(ids, task: task.id, as: .delivered)
            fixture.scissors.cut(after: steps)
            let isWhole = (try? await fixture.closer().check(check(task))) != nil
            fixture.scissors.cut(after: nil)
            if isWhole { break }
            fixture.time.advance(by: .seconds(3 * 86_400))
            _ = try await fixture.closer().check(check(task))
            #expect(try await fixture.reports().allSatisfy { $0[.delivered] == 3 }, "cut after \(steps)")
            #expect(try await !fixture.reports().isEmpty, "cut after \(steps)")
            let trace = fixture.traces.trace(of: task.id, created: nil)
            #expect(trace?.outcomes.devices.count == 3, "cut after \(steps)")
            #expect(fixture.metrics.counter(.reporterTasksAbandoned).value == 0, "cut after \(steps)")
            steps += 1
        }
        #expect(steps >= 8)
    }

    /// Content and report of a fast-lane task expire before its ledger: late results make no second report.
    @Test(arguments: [false, true]) func aTaskOfWhichTheReportIsGoneIsNotReportedAgain(isDue: Bool) async throws {
        let fixture = try ReporterFixture()
        let ids = try await fixture.register(1)
        let task = try fixture.begin(1, devices: ids, isFast: true)
        try await fixture.end(ids, task: task.id, as: .delivered)
        #expect(try await fixture.closer().check(check(task)) == .settled)
        try await fixture.archive.forget(task.id, after: .zero)
        fixture.archive.advance(reportOf: task.id, to: .settled)
        fixture.agenda.enter(task.id, due: fixture.time.now)
        #expect(fixture.ledger.progress(of: task.id)?.closed != nil)
        #expect(try await fixture.closer().check(check(task, isDue: isDue)) == .settled)
        #expect(try await fixture.reports().count == 1)
        #expect(fixture.agenda.count() == 0)
    }

    @Test func aTaskForManyHasItsLedger() async throws {
        let fixture = try ReporterFixture()
        let task = try fixture.begin(1, devices: try await fixture.register(1))
        fixture.time.advance(by: task.options.timeToLive)
        #expect(try await fixture.closer().check(check(task)) == .settled)
        #expect(fixture.traces.trace(of: task.id, created: nil) == nil)
    }

    /// Goal: a full store does not prevent a report. Method: the store refuses traces and accepts everything else.
    @Test func aFullStoreLeavesNoTrace() async throws {
        let fixture = try ReporterFixture()
        let ids = try await fixture.register(1)
        let task = try fixture.begin(1, devices: ids, isFast: true)
        try await fixture.end(ids, task: task.id, as: .delivered)
        #expect(try await fixture.closer(traces: FullTraces()).check(check(task)) == .settled)
        #expect(try await fixture.reports().map { $0[.delivered] } == [1])
        #expect(fixture.metrics.counter(.reporterTasksUntraced).value == 1)
    }

    /// Goal: a full store does not prevent a report. Method: the store refuses statistics and accepts everything else.
    @Test func aFullStoreLeavesTheStatisticsWithoutTheTask() async throws {
        let fixture = try ReporterFixture()
        let ids = try await fixture.register(1)
        let task = try fixture.begin(1, devices: ids, isFast: true)
        try await fixture.end(ids, task: task.id, as: .delivered)
        let closer = try await fixture.closer(statistics: BrokenStatistics(code: .full))
        #expect(try await closer.check(check(task)) == .settled)
        #expect(try await fixture.reports().count == 1 && fixture.counted().isEmpty)
        #expect(fixture.metrics.counter(.reporterTasksUncounted).value == 1)
    }

    /// Goal: a task is not published before it is counted: it would never be.
    @Test func aStoreThatIsAwayDelaysTheReport() async throws {
        let fixture = try ReporterFixture()
        let ids = try await fixture.register(1)
        let task = try fixture.begin(1, devices: ids)
        try await fixture.end(ids, task: task.id, as: .delivered)
        await #expect(throws: StoreError.self) {
            try await fixture.closer(statistics: BrokenStatistics(code: .unavailable)).check(check(task))
        }
        #expect(try await fixture.reports().isEmpty)
        #expect(try await fixture.closer().check(check(task)) == .settled)
        #expect(try await fixture.reports().count == 1 && fixture.counted().map(\.sums.tasks) == [1])
    }

    /// Two reporters may close a task at the same time, as after a lease that ended too early.
    @Test func twoReportersCountATaskOnce() async throws {
        let fixture = try ReporterFixture()
        let ids = try await fixture.register(2)
        let task = try fixture.begin(1, devices: ids, isFast: true)
        try await fixture.end(ids, task: task.id, as: .delivered)
        let closers = [try await fixture.closer(), try await fixture.closer()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for closer in closers { group.addTask { _ = try await closer.check(self.check(task)) } }
            try await group.waitForAll()
        }
        #expect(fixture.counted().map(\.sums.tasks) == [1])
        #expect(fixture.counted().map { $0.sums.outcomes[.delivered] } == [2])
    }

    /// A report says what its task was, and which devices of which platform ended how; the statistics count it by that.
    @Test(arguments: [true, false]) func aReportSaysWhatStatisticsNeed(isFast: Bool) async throws {
        let fixture = try ReporterFixture()
        let ids = try await fixture.register(4)
        let (news, sport) = (try TopicName("news"), try TopicName("sport"))
        let task = try fixture.begin(1, devices: ids, isFast: isFast) { task in
            task.sendAt = fixture.time.now + .seconds(60)
            task.labels["campaign"] = "spring"
            task.target.audience = .all([.topic(news), .not(.topic(sport))])
        }
        try await fixture.end(Array(ids[..<2]), task: task.id, as: .delivered, provider: .apns)
        try await fixture.end([ids[2]], task: task.id, as: .failed, provider: .huawei, reason: "Refused")
        try await fixture.end([ids[3]], task: task.id, as: .suppressed)
        #expect(try await fixture.closer().check(check(task)) == .settled)
        let report = try #require(try await fixture.reports().first)
        #expect(report.details.begins == task.sendAt && report.details.labels == task.labels)
        #expect(report.details.topics == [news])
        #expect(report.byPlatform.map(\.name) == ["ios", "android", "unknown"])
        #expect(report.byPlatform.map(\.counts.targeted) == [2, 1, 1])
        #expect(report.reasons.counts == [ReasonCounts.Reason(.failed, status: 0, text: "Refused"): 1])
        let trace = fixture.traces.trace(of: task.id, created: nil)
        #expect(
            trace.flatMap { ReportDetails(packed: $0.report, created: $0.created) } == (isFast ? report.details : nil))
        fixture.time.advance(by: .seconds(120))
        #expect(fixture.counted(by: .platform).map(\.value) == ["android", "ios", "unknown"])
        #expect(fixture.counted(by: .label(name: "campaign")).map(\.value) == ["spring"])
        #expect(fixture.counted(by: .topic).map(\.value) == ["news"])
    }

    /// The same for a fast-lane task: once its report exists, so does its trace, however often a reporter crashed.
    @Test func cutOffAnywhereItLeavesATrace() async throws {
        var steps = 0
        while true {
            let fixture = try ReporterFixture()
            let ids = try await fixture.register(2)
            let task = try fixture.begin(1, devices: ids, isFast: true)
            try await fixture.end(ids, task: task.id, as: .delivered)
            fixture.scissors.cut(after: steps)
            let isWhole = (try? await fixture.closer().check(check(task))) != nil
            fixture.scissors.cut(after: nil)
            let isReported = try await !fixture.reports().isEmpty
            #expect(!isReported || fixture.traces.trace(of: task.id, created: nil) != nil, "cut after \(steps)")
            fixture.time.advance(by: .seconds(60))
            _ = try await fixture.closer().check(check(task))
            let trace = try #require(fixture.traces.trace(of: task.id, created: nil), "cut after \(steps)")
            #expect(trace.outcomes.devices.map(\.state) == [.delivered, .delivered], "cut after \(steps)")
            for id in ids {
                let tasks = fixture.deviceTasks.tasks(of: id.index, in: fixture.app)
                #expect(tasks == [task.id], "cut after \(steps)")
            }
            #expect(try await fixture.reports().allSatisfy { $0.closed == trace.closed }, "cut after \(steps)")
            if isWhole { break }
            steps += 1
        }
        #expect(steps >= 8)
    }
}

private struct FullTraces: TaskTraces {
    func keep(_ trace: TaskTrace, of task: TaskID, for retention: Duration) async throws(StoreError) {
        throw StoreError(.full, message: "no room")
    }

    func trace(of task: TaskID, created: Timestamp?) async throws(StoreError) -> TaskTrace? { nil }
}

private struct BrokenStatistics: TaskStatistics {
    let code: StoreError.Code

    func fold(_ task: CountedTask) async throws(StoreError) -> Bool {
        throw StoreError(code, message: "not now")
    }

    func read(_ selection: StatisticsSelection) async throws(StoreError) -> StatisticsPage { StatisticsPage() }
}
