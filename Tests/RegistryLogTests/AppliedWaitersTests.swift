import PushModel
import Testing

@testable import RegistryLog

@Suite struct AppliedWaitersTests {
    private let first: SegmentID
    private let second: SegmentID

    init() throws {
        let app = try AppID("a")
        first = SegmentID(app, number: SegmentNumber(rawValue: 1))
        second = SegmentID(app, number: SegmentNumber(rawValue: 2))
    }

    private func filled() -> AppliedWaiters<String> {
        var waiters = AppliedWaiters<String>()
        for (name, segment, target, deadline) in [
            ("early", first, 10, 1), ("late", first, 20, 2), ("other", second, 10, 1),
        ] {
            waiters.add(
                .init(target: Int64(target), deadline: .seconds(deadline), continuation: name), for: segment)
        }
        return waiters
    }

    @Test func thoseWhoseRecordsAreAppliedGo() {
        var waiters = filled()
        let none = waiters.takeReached([first, second], at: [9, 0])
        #expect(none.isEmpty)
        let one = waiters.takeReached([first, second], at: [10, 9])
        #expect(one.map(\.continuation) == ["early"])
        let rest = waiters.takeReached([first, second], at: [500, 10])
        #expect(Set(rest.map(\.continuation)) == ["late", "other"])
        #expect(waiters.isEmpty && waiters.segments.isEmpty)
    }

    @Test func eachSegmentIsAskedAboutOnce() {
        #expect(Set(filled().segments) == [first, second])
        #expect(filled().segments.count == 2)
    }

    @Test func thoseWhoWaitedTooLongGo() {
        var waiters = filled()
        let none = waiters.takeOverdue(at: .milliseconds(999))
        #expect(none.isEmpty)
        let overdue = waiters.takeOverdue(at: .seconds(1))
        #expect(Set(overdue.map(\.continuation)) == ["early", "other"])
        #expect(waiters.segments == [first])
        let left = waiters.takeAll()
        #expect(left.map(\.continuation) == ["late"])
        #expect(waiters.isEmpty)
    }
}
