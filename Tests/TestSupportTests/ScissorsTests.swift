import TestSupport
import Testing

@Suite struct ScissorsTests {
    @Test func everyStepIsCutOffOnceTheOthersWereMade() {
        let scissors = Scissors()
        #expect(!scissors.isCut())
        scissors.cut(after: 2)
        #expect((0..<4).map { _ in scissors.isCut() } == [false, false, true, true])
        #expect(scissors.hasCut)
        scissors.cut(after: nil)
        #expect(!scissors.isCut() && !scissors.hasCut)
        #expect(scissors.count == 6)
    }
}
