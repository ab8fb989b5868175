import PushModel
import ServiceKit
import TaskModel
import Testing
import Topics

@testable import Carillon

/// Decisions about a task whose ledger is lost, and the limit of tasks held at once.
@Suite struct LostTaskTests {
    private let now = Timestamp(milliseconds: 1_767_225_600_000)
    private let app: AppID

    init() throws {
        app = try AppID("news")
    }

    private func task(age: Duration = .seconds(60), life: Duration = .seconds(28 * 86_400)) -> LostTask {
        var task = PushTask(id: TaskID(high: 1, low: 2), app: app, created: now + (.zero - age))
        task.options.timeToLive = life
        return LostTask(task)
    }

    private func job(_ number: Int, work: SegmentJob.Work) -> SegmentJob {
        SegmentJob(task: TaskID(high: 1, low: 2), app: app, lane: .bulk, job: number, work: work)
    }

    private func segments(_ numbers: UInt32...) -> [SegmentNumber] { numbers.map { SegmentNumber(rawValue: $0) } }

    @Test func whatWasBegunEnds() {
        var begun = task()
        begun.isBegun = true
        #expect(begun.verdict(at: now) == .end)
        begun.isGivenUp = true
        #expect(begun.verdict(at: now) == .end)
    }

    @Test func whatWasNotBegunIsResolved() {
        #expect(task().verdict(at: now) == .resolve([]))
        var givenUp = task()
        givenUp.isGivenUp = true
        #expect(givenUp.verdict(at: now) == .leave)
    }

    @Test func whatCannotBeProvenUnbegunEnds() {
        #expect(LostTask(app: app).verdict(at: now) == .end)
        #expect(task(age: .seconds(61), life: .seconds(60)).verdict(at: now) == .end)
        #expect(task(age: .seconds(6 * 86_400 - 1)).verdict(at: now) == .resolve([]))
        #expect(task(age: .seconds(6 * 86_400)).verdict(at: now) == .end)
    }

    /// Goal: jobs still on the bus denote the same segments when the task is planned again.
    @Test func jobsSayWhichSegmentsWereDecided() {
        var planned = task()
        #expect(planned.note(job(1, work: .segments(segments(4, 9), stride: 2))) == 2)
        #expect(planned.verdict(at: now) == .end, "job 0 is unknown")
        #expect(planned.note(job(0, work: .segments(segments(3, 7, 11), stride: 2))) == 3)
        #expect(planned.note(job(3, work: .segments(segments(9), stride: 2))) == 0)
        #expect(planned.verdict(at: now) == .resolve(segments(3, 4, 7, 9, 11)))
        _ = planned.note(job(6, work: .part(1)))
        #expect(planned.verdict(at: now) == .resolve(segments(3, 4, 7, 9, 11)))
        _ = planned.note(job(8, work: .part(0)))
        #expect(planned.verdict(at: now) == .end, "three segments are missing")
    }

    @Test func halvesHoldEveryTaskOnce() throws {
        let halves = try #require(RecoverySlice.all.halves)
        let quarters = try halves.flatMap { try #require($0.halves) }
        for low in 0..<64 {
            let task = TaskID(high: 5, low: UInt64(low))
            #expect(RecoverySlice.all.contains(task))
            #expect(halves.count { $0.contains(task) } == 1)
            #expect(quarters.count { $0.contains(task) } == 1)
        }
        var smallest = RecoverySlice.all
        var depth = 0
        while let half = smallest.halves?.last {
            smallest = half
            depth += 1
        }
        #expect(depth == 16)
    }

    @Test func aFullBookSaysSo() throws {
        var book = RecoveryBook(.all, entriesMaximum: 2)
        try book.close(TaskID(high: 0, low: 1))
        try book.lose(TaskID(high: 0, low: 2), as: task())
        #expect(!book.isOpen(TaskID(high: 0, low: 1)) && book.isOpen(TaskID(high: 0, low: 2)))
        #expect(throws: RecoveryBook.CapacityError.self) { try book.giveUp(TaskID(high: 0, low: 3)) }
    }
}
