import Testing

@testable import RedisBus

@Suite struct TakeOverRestTests {
    private func answers(_ seconds: [Int]) -> [Bool] {
        var rest = TakeOverRest(lease: .seconds(10))
        return seconds.map { rest.noteAnswer(at: .seconds($0)) }
    }

    @Test func aNewcomerTakesAtOnce() {
        #expect(answers([100]) == [true])
    }

    @Test func aSteadyHeartbeatNeverRests() {
        #expect(answers([0, 2, 4, 6, 8]) == [true, true, true, true, true])
    }

    @Test func afterALongSilenceTheOthersGetALeaseOfTime() {
        #expect(answers([0, 2, 7, 9, 12, 15, 17]) == [true, true, false, false, false, false, true])
    }
}
