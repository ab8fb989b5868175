import PushModel
import ServiceKit
import Store
import TaskModel
import Testing
import Topics

@testable import Reporter

@Suite struct TaskWatchTests {
    private let deadline = Timestamp(milliseconds: 1_767_225_600_000)
    private let app: AppID

    init() throws {
        app = try AppID("news")
    }

    private func progress(open: Int, resolved: Int = 2, isCancelled: Bool = false, closed: Timestamp? = nil)
        -> TaskProgress
    {
        var counts = StateCounts()
        counts[.waiting] = open
        return TaskProgress(
            plan: TaskPlan(app: app, jobs: 2, isFast: false, deadline: deadline, policy: .atLeastOnce),
            jobsResolved: resolved, isCancelled: isCancelled, counts: counts, closed: closed)
    }

    /// Returns the steps of a check as long as nothing changes.
    private func steps(_ stage: TaskWatch.Stage, isDue: Bool = true, at now: Timestamp) -> [TaskWatch.Step] {
        var watch = TaskWatch(stage, isDue: isDue)
        var steps: [TaskWatch.Step] = []
        repeat { steps.append(watch.next(at: now, hasEndpoint: true)) } while steps.last?.isLast == false
        return steps
    }

    @Test func anOpenTaskIsClosedWhereItCanBe() {
        let before = deadline + .seconds(-1)
        #expect(steps(.open(progress(open: 3)), at: before) == [.close, .wait])
        #expect(steps(.open(progress(open: 3)), isDue: false, at: before) == [.wait])
        #expect(steps(.open(progress(open: 0)), isDue: false, at: before) == [.close, .wait])
        #expect(steps(.open(progress(open: 0, resolved: 1)), at: before) == [.wait])
        #expect(steps(.open(progress(open: 0, closed: before)), at: before) == [.fix(closed: before)])
    }

    /// A crash may precede the results of ended devices, so the steps that end devices run even if none is open.
    @Test(arguments: [0, 3])
    func endingsComeBeforeTheClosing(open: Int) {
        let before = deadline + .seconds(-1)
        let cancelled = TaskWatch.Stage.open(progress(open: open, isCancelled: true))
        #expect(steps(cancelled, at: before) == [.end(.cancellation), .close, .wait])
        #expect(steps(cancelled, at: deadline) == [.end(.deadline), .end(.cancellation), .close, .wait])
        #expect(steps(.open(progress(open: open)), at: deadline) == [.end(.deadline), .close, .wait])
    }

    @Test func jobsAreGivenUpLongAfterTheDeadline() {
        let stage = TaskWatch.Stage.open(progress(open: 0, resolved: 1))
        #expect(steps(stage, at: deadline + TaskWatch.grace + .milliseconds(-1)) == [.end(.deadline), .wait])
        #expect(steps(stage, at: deadline + TaskWatch.grace) == [.end(.deadline), .resolveJobs, .wait])
    }

    @Test func aReportGoesOnFromWhereItWas() {
        let report = TaskReport(
            task: TaskID(high: 1, low: 2), app: app, dialect: .native, created: nil, closed: deadline,
            isCancelled: false, lane: .fast, count: { _ in 0 })
        #expect(steps(.reported(report, .fixed), at: deadline) == [.publish(report)])
        #expect(steps(.reported(report, .published), at: deadline) == [.notify(report)])
        #expect(steps(.reported(report, .settled), at: deadline) == [.finish(report)])
        var watch = TaskWatch(.reported(report, .published), isDue: true)
        let unheard = watch.next(at: deadline, hasEndpoint: false)
        #expect(unheard == .finish(report))
    }

    @Test func aTaskWithoutAPlanIsWaitedForAsLongAsItMayCome() {
        #expect(steps(.unplanned(deadline: deadline), at: deadline) == [.wait])
        let late = steps(.unplanned(deadline: deadline), at: deadline + TaskWatch.grace)
        #expect(late == [.abandon(reason: "it was never planned")])
        #expect(steps(.unplanned(deadline: nil), at: deadline) == [.abandon(reason: "its content is lost")])
    }
}

extension TaskWatch.Step {
    /// True if the step ends the check.
    fileprivate var isLast: Bool {
        switch self {
        case .end, .close, .resolveJobs: false
        case .fix, .publish, .notify, .finish, .abandon, .wait: true
        }
    }
}
