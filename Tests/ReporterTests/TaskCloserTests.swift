import JSONKit
import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskModel
import TestSupport
import Testing
import Topics

@testable import reporter

/// A task's way from open to reported.
@Suite(.timeLimit(.minutes(2))) struct TaskCareTests {
    private func look(_ task: PushTask, isDue: Bool = true) -> CheckQueue.Look {
        CheckQueue.Look(task: task.id, isDue: isDue)
    }

    @Test func aTaskThatIsDoneIsClosedReportedAndForgotten() async throws {
        let fixture = try ReporterFixture()
        let ids = try await fixture.register(6)
        let task = try fixture.begin(1, devices: ids) { $0.dialect = .richie }
        let ends: [DeliveryState] = [.delivered, .failed, .invalid, .invalidRemoved, .suppressed, .unknown]
        for (id, state) in zip(ids, ends) { try await fixture.end([id], task: task.id, as: state) }
        fixture.time.advance(by: .milliseconds(765))
        let closer = try await fixture.closer()
        #expect(try await closer.look(look(task)) == .settled)
        let report = try #require(try await fixture.reports().first)
        #expect(try await fixture.reports().count == 1)
        for state in ends { #expect(report[state] == 1) }
        #expect(report.targeted == 6 && report.dialect == .richie && !report.isCancelled && report.lane == .bulk)
        #expect(report.completionTime == .milliseconds(765))
        #expect(report.id == "\(task.id)/report")
        #expect(fixture.archive.report(of: task.id) == report.encoded())
        #expect(fixture.agenda.count() == 0)
    }

    @Test func nobodyTargetedIsZero() async throws {
        let fixture = try ReporterFixture()
        let task = try fixture.begin(1, devices: [])
        #expect(try await fixture.closer().look(look(task)) == .settled)
        #expect(try await fixture.reports().map(\.targeted) == [0])
        #expect(fixture.agenda.count() == 0)
    }

    /// The last results close a task; those before leave it alone.
    @Test func theLastResultsCloseATask() async throws {
        let fixture = try ReporterFixture()
        let ids = try await fixture.register(2)
        let task = try fixture.begin(1, devices: ids)
        try await fixture.end([ids[0]], task: task.id, as: .delivered)
        let closer = try await fixture.closer()
        #expect(try await closer.look(look(task, isDue: false)) == .settled)
        #expect(try await fixture.reports().isEmpty)
        #expect(fixture.agenda.take(upTo: 1, for: .zero) == [task.id], "its time in the agenda stays as it was")
        try await fixture.end([ids[1]], task: task.id, as: .delivered)
        #expect(try await closer.look(look(task, isDue: false)) == .settled)
        #expect(try await fixture.reports().map { $0[.delivered] } == [2])
        // Results that come again find it reported, and a task that nobody knows is not theirs to give up.
        #expect(try await closer.look(look(task, isDue: false)) == .settled)
        let stranger = PushTask(id: TaskID(high: 1, low: 1), app: fixture.app, created: fixture.time.now)
        #expect(try await closer.look(look(stranger, isDue: false)) == .settled)
        #expect(try await fixture.reports().count == 1)
        #expect(fixture.metrics.counter(.reporterTasksAbandoned).value == 0)
    }

    /// The pause grows while nothing happens, ends at the deadline, and is short while only a job is missing.
    @Test func anOpenTaskIsLookedAtAgain() async throws {
        let fixture = try ReporterFixture()
        let ids = try await fixture.register(1)
        let task = try fixture.begin(1, devices: ids, timeToLive: .seconds(100), resolves: false)
        let closer = try await fixture.closer()
        for pause in [1, 2, 4, 8, 16, 32, 37] {
            let again = fixture.time.now + .seconds(pause)
            #expect(try await closer.look(look(task)) == .open(again: again))
            fixture.time.advance(by: .seconds(pause))
        }
        #expect(fixture.time.now == task.deadline)
        let soon = fixture.time.now + CheckBackoff.first
        #expect(try await closer.look(look(task)) == .open(again: soon))
        #expect(try await fixture.results().map { $0.results.map(\.state) } == [[.expired]])
        try fixture.ledger.resolve(job: 0, of: task.id)
        #expect(try await closer.look(look(task)) == .settled)
        #expect(try await fixture.reports().map { $0[.expired] } == [1])
    }

    /// At the deadline whoever waits expires and a dead sender's devices are unknown; a living one keeps its own a while.
    @Test func theDeadlineEndsWhatNobodyHolds() async throws {
        let fixture = try ReporterFixture()
        let ids = try await fixture.register(4)
        let task = try fixture.begin(1, devices: ids, timeToLive: .seconds(100))
        fixture.claim([ids[1]], task: task.id, lease: .seconds(1))
        fixture.claim([ids[2]], task: task.id, lease: .seconds(200))
        #expect(try await fixture.registry.remove(ids[3], in: fixture.app))
        fixture.time.advance(by: .seconds(100))
        let closer = try await fixture.closer()
        #expect(try await closer.look(look(task)) != .settled)
        let told = try await fixture.results().flatMap(\.results)
        #expect(Set(told.map(\.device)) == [ids[0], ids[1]])
        #expect(told.first { $0.device == ids[1] }?.state == .unknown)
        #expect(fixture.metrics.counter(.reporterDevicesUntold).value == 1)
        try await fixture.end([ids[2]], task: task.id, as: .delivered)
        fixture.time.advance(by: .seconds(200))
        #expect(try await closer.look(look(task)) == .settled)
        let report = try #require(try await fixture.reports().first)
        #expect(report[.expired] == 2 && report[.unknown] == 1 && report[.delivered] == 1 && report.targeted == 4)
    }

    /// Of a task that was accepted before the store came back with older data nobody can say who was not sent to.
    @Test(arguments: [DeliveryState.unknown, .expired])
    func aDeviceOfWhichTheClaimMayBeForgottenIsUnknown(end: DeliveryState) async throws {
        let fixture = try ReporterFixture()
        let ids = try await fixture.register(1)
        let task = try fixture.begin(1, devices: ids, timeToLive: .seconds(100))
        let began = end == .unknown ? task.created + .milliseconds(1) : task.created
        fixture.witness.say(LedgerEpoch(began: began, isDoubtful: false))
        fixture.time.advance(by: .seconds(100))
        #expect(try await fixture.closer().look(look(task)) == .settled)
        #expect(try await fixture.reports().map { $0[end] } == [1])
        #expect(try await fixture.results().map { $0.results.map(\.state) } == [[end]])
    }

    @Test func aCancelledTaskEndsWhatWasHandedBackSince() async throws {
        let fixture = try ReporterFixture()
        let ids = try await fixture.register(3)
        let task = try fixture.begin(1, devices: ids)
        let segment = SegmentID(fixture.app, number: ids[0].index.segment)
        // Whoever cancels ends those that nobody holds, and dies before it has told.
        fixture.claim([ids[2]], task: task.id, lease: .seconds(10))
        _ = fixture.ledger.cancel(task.id, in: segment)
        let closer = try await fixture.closer()
        _ = try await closer.look(look(task))
        let told = try await fixture.results().flatMap(\.results)
        #expect(Set(told.map(\.device)) == Set(ids.filter { $0.index.segment == segment.number }).subtracting([ids[2]]))
        #expect(told.allSatisfy { $0.state == .cancelled && $0.reason == "cancelled" })
        try await fixture.end([ids[2]], task: task.id, as: .delivered)
        #expect(try await closer.look(look(task)) == .settled)
        let report = try #require(try await fixture.reports().first)
        #expect(report.isCancelled && report[.delivered] == 1 && report[.cancelled] == 2)
    }

    @Test func aTaskThatWasNeverPlannedIsGivenUp() async throws {
        let fixture = try ReporterFixture()
        let task = PushTask(id: TaskID(high: 1, low: 1), app: fixture.app, created: fixture.time.now)
        let entry = TaskEntry(app: fixture.app, created: task.created, deadline: task.deadline)
        fixture.archive.keep(TaskMessage.task(task).encoded(), of: task.id, entry: entry)
        fixture.agenda.enter(task.id, due: fixture.time.now)
        let closer = try await fixture.closer()
        #expect(try await closer.look(look(task)) == .open(again: fixture.time.now + CheckBackoff.first))
        fixture.time.advance(by: task.options.timeToLive + TaskWatch.grace)
        #expect(try await closer.look(look(task)) == .settled)
        #expect(fixture.agenda.count() == 0)
        #expect(fixture.metrics.counter(.reporterTasksAbandoned).value == 1)
        #expect(fixture.archive.reasonGivenUp(task.id) == "it was never planned")
        #expect(fixture.sink.lines.contains { $0.contains("task abandoned") && $0.contains("never planned") })
    }

    @Test func jobsThatNobodyDoesKeepNoTaskOpenForEver() async throws {
        let fixture = try ReporterFixture()
        let ids = try await fixture.register(1)
        let task = try fixture.begin(1, devices: ids, jobs: 3, resolves: false)
        fixture.time.advance(by: task.options.timeToLive + TaskWatch.grace)
        #expect(try await fixture.closer().look(look(task)) == .settled)
        #expect(try await fixture.reports().map { $0[.expired] } == [1])
        #expect(fixture.sink.lines.contains { $0.contains("unresolved jobs") })
    }

    /// Goal: wherever a reporter is killed, the next one comes to the same report under the same id, with exact sums, and
    /// every device that ended untried is told of. Method: cut off before and after each thing it makes true, one after the
    /// other, until a look gets through uncut.
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
                // Its sender dies, so that it ends as unknown.
                fixture.claim([ids[4]], task: task.id)
                fixture.time.advance(by: task.options.timeToLive)
            case .cancellation: for segment in segments { _ = fixture.ledger.cancel(task.id, in: segment) }
            }
            fixture.scissors.cut(after: steps)
            let isWhole = (try? await fixture.closer().look(look(task))) != nil
            fixture.scissors.cut(after: nil)
            if !isWhole {
                // Results of before may come again before the agenda has it looked at.
                _ = try await fixture.closer().look(look(task, isDue: false))
                #expect(try await fixture.closer().look(look(task)) == .settled)
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
            if isWhole { break }
            steps += 1
        }
        #expect(steps >= 8)
    }

    @Test func aTaskForFewLeavesATrace() async throws {
        let fixture = try ReporterFixture()
        let ids = try await fixture.register(3)
        let task = try fixture.begin(1, devices: ids, isFast: true) { $0.dialect = .richie }
        try await fixture.end(Array(ids[..<2]), task: task.id, as: .delivered)
        try await fixture.end([ids[2]], task: task.id, as: .failed)
        #expect(try await fixture.closer().look(look(task)) == .settled)
        let trace = try #require(fixture.traces.trace(of: task.id, created: nil))
        #expect(trace.dialect == "richie" && trace.created == task.created && !trace.isCancelled)
        let report = try #require(try await fixture.reports().first)
        #expect(trace.closed == report.closed)
        fixture.time.advance(by: TaskPlan.retention(isFast: true))
        #expect(fixture.ledger.progress(of: task.id) == nil, "its ledger goes an hour after its report")
        let ends = Dictionary(uniqueKeysWithValues: trace.outcomes.devices.map { ($0.index, $0.state) })
        #expect(ends == [ids[0].index: .delivered, ids[1].index: .delivered, ids[2].index: .failed])
        fixture.time.advance(
            by: TaskTraceBounds.retention - TaskPlan.retention(isFast: true) - .milliseconds(1))
        #expect(fixture.traces.trace(of: task.id, created: nil) == trace)
        fixture.time.advance(by: .milliseconds(1))
        #expect(fixture.traces.trace(of: task.id, created: nil) == nil)
    }

    /// Goal: a reporter that dies within the closing of a task for few and stays away for days loses neither a count
    /// nor the trace. Method: cut off before and after each thing it makes true; whoever comes next comes three days
    /// later.
    @Test func aLongAbsenceWithinTheClosingLosesNothing() async throws {
        var steps = 0
        while true {
            let fixture = try ReporterFixture()
            let ids = try await fixture.register(3)
            let task = try fixture.begin(1, devices: ids, isFast: true)
            try await fixture.end(ids, task: task.id, as: .delivered)
            fixture.scissors.cut(after: steps)
            let isWhole = (try? await fixture.closer().look(look(task))) != nil
            fixture.scissors.cut(after: nil)
            if isWhole { break }
            fixture.time.advance(by: .seconds(3 * 86_400))
            _ = try await fixture.closer().look(look(task))
            #expect(try await fixture.reports().allSatisfy { $0[.delivered] == 3 }, "cut after \(steps)")
            #expect(try await !fixture.reports().isEmpty, "cut after \(steps)")
            let trace = fixture.traces.trace(of: task.id, created: nil)
            #expect(trace?.outcomes.devices.count == 3, "cut after \(steps)")
            #expect(fixture.metrics.counter(.reporterTasksAbandoned).value == 0, "cut after \(steps)")
            steps += 1
        }
        #expect(steps >= 8)
    }

    /// Content and report of a task for few go before its ledger: results that come late make no second report.
    @Test(arguments: [false, true]) func aTaskOfWhichTheReportIsGoneIsNotReportedAgain(isDue: Bool) async throws {
        let fixture = try ReporterFixture()
        let ids = try await fixture.register(1)
        let task = try fixture.begin(1, devices: ids, isFast: true)
        try await fixture.end(ids, task: task.id, as: .delivered)
        #expect(try await fixture.closer().look(look(task)) == .settled)
        fixture.archive.forget(task.id, after: .zero)
        fixture.archive.advance(reportOf: task.id, to: .settled)
        fixture.agenda.enter(task.id, due: fixture.time.now)
        #expect(fixture.ledger.progress(of: task.id)?.closed != nil)
        #expect(try await fixture.closer().look(look(task, isDue: isDue)) == .settled)
        #expect(try await fixture.reports().count == 1)
        #expect(fixture.agenda.count() == 0)
    }

    @Test func aTaskForManyHasItsLedger() async throws {
        let fixture = try ReporterFixture()
        let task = try fixture.begin(1, devices: try await fixture.register(1))
        fixture.time.advance(by: task.options.timeToLive)
        #expect(try await fixture.closer().look(look(task)) == .settled)
        #expect(fixture.traces.trace(of: task.id, created: nil) == nil)
    }

    /// Goal: a full store keeps no task from being reported. Method: traces are refused, everything else is taken.
    @Test func aFullStoreLeavesNoTrace() async throws {
        let fixture = try ReporterFixture()
        let ids = try await fixture.register(1)
        let task = try fixture.begin(1, devices: ids, isFast: true)
        try await fixture.end(ids, task: task.id, as: .delivered)
        #expect(try await fixture.closer(traces: FullTraces()).look(look(task)) == .settled)
        #expect(try await fixture.reports().map { $0[.delivered] } == [1])
        #expect(fixture.metrics.counter(.reporterTasksUntraced).value == 1)
    }

    /// As above, of a task for few: its trace is there however often somebody was cut off, once its report is.
    @Test func cutOffAnywhereItLeavesATrace() async throws {
        var steps = 0
        while true {
            let fixture = try ReporterFixture()
            let ids = try await fixture.register(2)
            let task = try fixture.begin(1, devices: ids, isFast: true)
            try await fixture.end(ids, task: task.id, as: .delivered)
            fixture.scissors.cut(after: steps)
            let isWhole = (try? await fixture.closer().look(look(task))) != nil
            fixture.scissors.cut(after: nil)
            let isReported = try await !fixture.reports().isEmpty
            #expect(!isReported || fixture.traces.trace(of: task.id, created: nil) != nil, "cut after \(steps)")
            fixture.time.advance(by: .seconds(60))
            _ = try await fixture.closer().look(look(task))
            let trace = try #require(fixture.traces.trace(of: task.id, created: nil), "cut after \(steps)")
            #expect(trace.outcomes.devices.map(\.state) == [.delivered, .delivered], "cut after \(steps)")
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
