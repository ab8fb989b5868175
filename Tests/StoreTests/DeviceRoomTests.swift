import Testing

@testable import Store

/// The decision alone; waiters are numbers.
@Suite struct DeviceRoomTests {
    @Test func aFullAppRefusesAndAnEmptyOneAdmits() {
        var room = DeviceRoom<Int>()
        #expect(room.add(1, maximum: 10) == true)
        let admitted = room.counted(9, at: .zero)
        #expect(admitted.admitted == [1] && admitted.refused == [] && !admitted.mustCount)
        #expect(room.end(isNew: true) == false)
        #expect(room.add(2, maximum: 10) == true)
        #expect(room.counted(10, at: .zero).refused == [2])
        #expect(room.add(3, maximum: 10) == true)
        #expect(room.counted(9, at: .zero).admitted == [3], "a device was removed")
    }

    /// Goal: a process alone never exceeds the maximum, and refuses none that would fit. Method: the count does not
    /// contain the registrations in progress.
    @Test func registrationsInProgressAreAdded() {
        var room = DeviceRoom<Int>()
        for waiter in 1...4 { #expect(room.add(waiter, maximum: 10) == (waiter == 1)) }
        // Only the first was there when the counting began.
        let first = room.counted(8, at: .zero)
        #expect(first.admitted == [1] && first.mustCount)
        let second = room.counted(8, at: .zero)
        #expect(second.admitted == [2] && second.refused == [] && !second.mustCount, "3 and 4 wait")
        // A known token after all: its place is free.
        #expect(room.end(isNew: false) == true)
        let third = room.counted(8, at: .zero)
        #expect(third.admitted == [3] && !third.mustCount)
        #expect(room.end(isNew: true) == true)
        // The other one ends while its device is already counted.
        #expect(room.end(isNew: true) == false)
        let fourth = room.counted(9, at: .zero)
        #expect(fourth.admitted == [] && fourth.refused == [] && fourth.mustCount, "it ended during the count")
        #expect(room.counted(10, at: .zero).refused == [4])
    }

    @Test func aFailedCountFailsThoseItWasFor() {
        var room = DeviceRoom<Int>()
        #expect(room.add(1, maximum: 10) == true)
        #expect(room.add(2, maximum: 10) == false)
        let (failed, mustCount) = room.countFailed()
        #expect(failed == [1] && mustCount)
        #expect(room.counted(0, at: .zero).admitted == [2])
    }

    /// Far from the maximum a count serves a share of the room, for a second.
    @Test func oneCountServesManyFarFromTheMaximum() {
        var room = DeviceRoom<Int>()
        #expect(room.admitByLatestCount(maximum: 6_400, at: .zero) == false, "nothing was counted yet")
        #expect(room.add(0, maximum: 6_400) == true)
        #expect(room.counted(0, at: .zero).admitted == [0])
        for _ in 0..<99 { #expect(room.admitByLatestCount(maximum: 6_400, at: .milliseconds(999)) == true) }
        #expect(room.admitByLatestCount(maximum: 6_400, at: .milliseconds(999)) == false)
        #expect(room.end(isNew: false) == false)
        #expect(room.admitByLatestCount(maximum: 6_400, at: .milliseconds(999)) == true, "a known token takes no room")
        #expect(room.end(isNew: false) == false)
        #expect(room.admitByLatestCount(maximum: 6_400, at: .seconds(1)) == false)
        #expect(room.admitByLatestCount(maximum: 50, at: .milliseconds(999)) == false, "too near to the maximum")
    }
}
