import PushModel
import ServiceKit
import Testing

@testable import Reporter

@Suite struct CheckQueueTests {
    private let tasks = (0..<3).map { TaskID(high: 0, low: $0) }

    @Test func tasksAreTakenInOrderEachOnce() {
        var book = CheckQueue()
        book.want(tasks[0], isDue: false)
        book.want(tasks[1], isDue: true)
        book.want(tasks[0], isDue: false)
        book.want(tasks[1], isDue: false)
        let checks = [book.take(at: .zero), book.take(at: .zero), book.take(at: .zero)]
        #expect(checks[0] == CheckQueue.Check(task: tasks[0], isDue: false))
        #expect(checks[1] == CheckQueue.Check(task: tasks[1], isDue: true))
        #expect(checks[2] == nil)
    }

    /// A request during a check leads to another check, after a pause.
    @Test func aTaskIsInOneHandAndRests() {
        var book = CheckQueue()
        book.want(tasks[0], isDue: false)
        let first = book.take(at: .zero)
        #expect(first != nil)
        book.want(tasks[0], isDue: false)
        let meanwhile = book.take(at: .seconds(1))
        #expect(meanwhile == nil && book.nextWake == nil)
        book.finish(tasks[0], at: .seconds(1))
        #expect(book.nextWake == .seconds(1) + CheckQueue.rest)
        let early = book.take(at: .seconds(1))
        #expect(early == nil)
        let second = book.take(at: .seconds(1) + CheckQueue.rest)
        #expect(second == CheckQueue.Check(task: tasks[0], isDue: false))
    }

    @Test func whatIsNotWantedIsForgotten() {
        var book = CheckQueue()
        book.want(tasks[0], isDue: true)
        _ = book.take(at: .zero)
        book.finish(tasks[0], at: .zero)
        let check = book.take(at: CheckQueue.rest)
        #expect(check == nil && book.nextWake == nil)
        book.want(tasks[0], isDue: true)
        let again = book.take(at: CheckQueue.rest)
        #expect(again?.task == tasks[0])
    }

    @Test func beyondItsBoundNothingIsTakenIn() {
        var book = CheckQueue()
        for low in 0..<UInt64(CheckQueue.tasksMaximum) + 5 { book.want(TaskID(high: 1, low: low), isDue: true) }
        #expect(book.waitingCount == CheckQueue.tasksMaximum)
    }

    @Test func pausesDoubleUpToTheLongest() {
        var pauses = CheckBackoff()
        let taken = (0..<8).map { _ in pauses.next(tasks[0]) }
        #expect(taken == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
        let other = pauses.next(tasks[1])
        #expect(other == CheckBackoff.first)
        pauses.forget(tasks[0])
        let anew = pauses.next(tasks[0])
        #expect(anew == CheckBackoff.first)
    }
}
