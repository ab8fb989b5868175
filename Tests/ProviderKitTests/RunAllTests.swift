import ServiceKit
import TestSupport
import Testing

@testable import ProviderKit

@Suite(.timeLimit(.minutes(1))) struct RunAllTests {
    private let time = ManualTimeSource()
    private let ended = Monitor<[Int]>([])
    private let intervals = Monitor(0)

    private func run(_ items: [Int], work: @escaping @Sendable (Int) async -> Int) -> Task<Void, Never> {
        Task {
            await runAll(items, every: .seconds(1), time: time, work: work) { end in
                ended.change { $0.append(end) }
            } onInterval: {
                intervals.change { $0 += 1 }
            }
        }
    }

    private func havePassed(_ count: Int) async -> Bool {
        await blocking { [intervals] in
            intervals.wait(timeout: .hangLimit) { $0 >= count ? true : nil } ?? false
        }
    }

    @Test func intervalsPassWhileSomeWorkIsLeft() async {
        let last = OneTimeEvent()
        let task = run([1, 2]) { item in
            if item == 2 { await last.wait() }
            return item
        }
        for passed in 1...3 {
            #expect(await time.hasSleepers(1))
            time.advance(by: .seconds(1))
            #expect(await havePassed(passed))
        }
        last.happen()
        await task.value
        #expect(ended.withLock { $0 } == [1, 2])
        #expect(intervals.withLock { $0 } == 3)
    }

    /// Goal: work that cannot be cancelled is waited for without a busy loop. Method: a sleep in a cancelled task ends at
    /// once, so each interval would seem to have passed.
    @Test func aCancelledTaskHasNoIntervals() async {
        let last = OneTimeEvent()
        let task = run([1]) { item in
            await last.wait()
            return item
        }
        #expect(await time.hasSleepers(1))
        task.cancel()
        for _ in 0..<1_000 { await Task.yield() }
        last.happen()
        await task.value
        #expect(ended.withLock { $0 } == [1])
        #expect(intervals.withLock { $0 } == 0)
    }

    @Test func nothingIsDoneWithoutItems() async {
        await run([]) { $0 }.value
        #expect(ended.withLock { $0 }.isEmpty)
    }
}
