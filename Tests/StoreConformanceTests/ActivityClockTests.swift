import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

@Suite struct ActivityClockTests {
    private let start = Timestamp(milliseconds: 1_000_000)

    private func id(_ number: UInt64) -> TaskID { TaskID(high: number, low: ~number) }

    private func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: 1_000_000 + milliseconds) }

    /// The task that sends a state, as `put` of a book asks for it.
    private func request(
        _ clock: inout ActivityClock, _ stamp: UInt64, at milliseconds: Int64, isEnd: Bool = false
    ) -> (task: TaskID, pending: ActivityClock.Pending?) {
        clock.request(stamp: id(stamp), isEnd: isEnd, task: id(100 + stamp), at: at(milliseconds))
    }

    private func release(
        _ clock: inout ActivityClock, _ task: TaskID, stamp: UInt64, at milliseconds: Int64
    ) -> ActivityClock.Publication? {
        clock.release(task, stamp: id(stamp), isUrgent: false, content: [UInt8(stamp)], at: at(milliseconds))
    }

    @Test func updatesOfOneSecondShareATask() {
        var clock = ActivityClock()
        let first = request(&clock, 1, at: 0)
        #expect(first.pending?.due == at(0))
        #expect(release(&clock, first.task, stamp: 1, at: 10)?.timestamp == 1_000)
        let second = request(&clock, 2, at: 300)
        #expect(second.pending?.due == at(1_000))
        for stamp in 3...20 as ClosedRange<UInt64> {
            let next = request(&clock, stamp, at: 300 + Int64(stamp))
            #expect(next.task == second.task && next.pending?.due == at(1_000))
        }
        #expect(release(&clock, second.task, stamp: 20, at: 1_020)?.timestamp == 1_001)
        #expect(clock.content == [20] && clock.pending == nil)
    }

    /// Goal: no state is lost between a request and a release. Method: a state is requested while the release of the
    /// task that will send it is between reading the state and replacing the clock.
    @Test func aRequestChangesTheClockThatAReleaseRead() {
        var clock = ActivityClock()
        let task = request(&clock, 1, at: 0).task
        let read = clock
        #expect(request(&clock, 2, at: 1).task == task)
        #expect(clock != read, "the release of state 1 fails")
        _ = release(&clock, task, stamp: 2, at: 5)
        #expect(request(&clock, 2, at: 6).task == task, "it is sent already")
        #expect(clock.pending == nil)
        #expect(request(&clock, 3, at: 7).task != task)
    }

    /// Goal: a state that is stored again after a later one was sent is sent too. Method: a request whose task has sent
    /// the state of another request is repeated.
    @Test func aRepeatedRequestGetsAnotherTaskOnceItsOwnWasSent() {
        var clock = ActivityClock()
        let first = request(&clock, 1, at: 0)
        #expect(request(&clock, 2, at: 10).task == first.task)
        _ = release(&clock, first.task, stamp: 2, at: 20)
        let repeated = request(&clock, 1, at: 30)
        #expect(repeated.task != first.task && repeated.pending != nil)
        #expect(request(&clock, 1, at: 40).task == repeated.task)
        #expect(release(&clock, repeated.task, stamp: 1, at: 1_000)?.stamp == id(1))
        #expect(clock.pending == nil)
    }

    @Test func timestampsRiseWhateverTheClockShows() {
        var clock = ActivityClock()
        clock.begin(timestamp: 2_000, at: start)
        var last: Int64 = 2_000
        for stamp in 1...50 as ClosedRange<UInt64> {
            // The wall clock goes back again and again.
            let now = Int64(stamp % 7) * 600 - 900_000
            let task = request(&clock, stamp, at: now).task
            let publication = release(&clock, task, stamp: stamp, at: now)
            #expect(publication?.timestamp ?? 0 > last)
            last = publication?.timestamp ?? 0
            #expect(clock.pending == nil)
        }
    }

    /// A clock that was set back must not keep the next state waiting for an hour.
    @Test func aStateWaitsForASecondAndAHalfAtMost() throws {
        var clock = ActivityClock()
        let task = request(&clock, 1, at: 0).task
        _ = release(&clock, task, stamp: 1, at: 0)
        #expect(try #require(request(&clock, 2, at: -800_000).pending).due == at(-798_500))
    }

    /// Goal: a phone gets one state in each second of the wall clock, however much later than released it gets it.
    /// Method: states after releases at each moment of a second, each due at the beginning of a later second.
    @Test(arguments: [(0, 1_000), (1, 1_000), (499, 1_000), (500, 1_000), (501, 2_000), (999, 2_000), (1_000, 2_000)])
    func aStateIsSentAtTheBeginningOfASecond(_ released: Int64, _ due: Int64) throws {
        var clock = ActivityClock()
        let task = request(&clock, 1, at: released).task
        _ = release(&clock, task, stamp: 1, at: released)
        #expect(try #require(request(&clock, 2, at: released).pending).due == at(due))
        #expect(clock.earliest == at(due))
        var later = ActivityClock()
        _ = release(&later, id(1), stamp: 1, at: released)
        #expect(try #require(request(&later, 2, at: due + 1).pending).due == at(due + 1))
    }

    @Test func aRepeatedReleaseSendsTheSame() {
        var clock = ActivityClock()
        let task = request(&clock, 1, at: 0).task
        let first = release(&clock, task, stamp: 1, at: 0)
        _ = request(&clock, 2, at: 100)
        let before = clock
        #expect(release(&clock, task, stamp: 2, at: 200) == first)
        #expect(clock == before && clock.content == [1])
        let next = request(&clock, 2, at: 300).task
        _ = release(&clock, next, stamp: 2, at: 1_000)
        #expect(release(&clock, task, stamp: 2, at: 1_100) == nil, "superseded")
    }

    @Test func aLostClockGoesOnBehindWhatIsStored() {
        var clock = ActivityClock()
        clock.pass(at(-5_000), at: at(0))
        #expect(clock == ActivityClock(), "the wall clock is behind it anyway")
        clock.pass(at(5_000), at: at(0))
        #expect(release(&clock, id(1), stamp: 1, at: 0)?.timestamp == 1_007)
        clock.pass(at(50_000), at: at(0))
        #expect(clock.timestamp == 1_007, "it is not lost")
    }

    @Test func urgentStatesOfAnHourAreCounted() {
        var clock = ActivityClock()
        for number in 1...3 as ClosedRange<UInt64> {
            _ = clock.release(id(number), stamp: id(number), isUrgent: true, content: [], at: at(Int64(number) * 1_000))
        }
        #expect(clock.urgentCount(at: at(4_000)) == 3)
        #expect(clock.urgentCount(at: at(3_600_000)) == 0)
    }

    @Test func itIsStoredWhole() throws {
        var clock = ActivityClock()
        clock.begin(timestamp: 77, at: at(1))
        #expect(ActivityClock(packed: clock.packed) == clock)
        for stamp in 1...12 as ClosedRange<UInt64> {
            let task = request(&clock, stamp, at: Int64(stamp) * 2_000).task
            _ = clock.release(
                task, stamp: id(stamp), isUrgent: stamp % 2 == 0, content: [1, 2, 3], at: at(Int64(stamp) * 2_000))
        }
        let last = request(&clock, 13, at: 24_100, isEnd: true).task
        clock.noteSent(last)
        let read = try #require(ActivityClock(packed: clock.packed))
        #expect(read == clock && read.publications.count == ActivityClock.rememberedMaximum && read.hasEnded)
        #expect(read.pending?.isSent == true && read.content == [1, 2, 3])
        // Any shorter text is no clock, or one with less content.
        for count in 0..<clock.packed.count {
            #expect(ActivityClock(packed: Array(clock.packed.prefix(count)))?.content.count ?? 0 < 3)
        }
    }
}
