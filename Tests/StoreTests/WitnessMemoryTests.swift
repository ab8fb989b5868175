import ServiceKit
import Testing

@testable import Store

/// The decision alone; the store is a count, and the last count of each writer.
@Suite struct WitnessMemoryTests {
    private struct Count {
        private(set) var value: Int64 = 0
        private var writers: [UInt64: Int64] = [:]

        mutating func perform(_ raise: WitnessMemory.Raise) -> WitnessMemory.Answer {
            value += 1
            let before = writers.updateValue(value, forKey: raise.writer)
            return WitnessMemory.Answer(count: value, before: before ?? 0)
        }

        mutating func leap() { value += WitnessMemory.leap }
    }

    private let epoch = LedgerEpoch(began: Timestamp(milliseconds: 5), isDoubtful: false)

    private func raise(_ memory: inout WitnessMemory, on count: inout Count) -> WitnessMemory.Finding {
        let raise = memory.raise
        return memory.note(count.perform(raise), of: raise)
    }

    /// Two memories that have raised the count, and know the epoch.
    private func started(on count: inout Count) -> (WitnessMemory, WitnessMemory) {
        var first = WitnessMemory(writer: 1)
        var second = WitnessMemory(writer: 1_000)
        #expect(raise(&first, on: &count) == .mayHaveChanged)
        _ = first.learn(.first, count: count.value)
        #expect(raise(&second, on: &count) == .mayHaveChanged)
        _ = second.learn(.first, count: count.value)
        #expect(raise(&first, on: &count) == .asBefore)
        #expect(raise(&second, on: &count) == .asBefore)
        return (first, second)
    }

    @Test func aCountThatIsNotHigherProvesALoss() {
        var count = Count()
        var (first, _) = started(on: &count)
        let older = count
        #expect(raise(&first, on: &count) == .asBefore)
        count = older
        #expect(raise(&first, on: &count) == .lost(proof: older.value + 1))
    }

    @Test func aLossThatAnotherProcessCaughtUpWithIsProvenByTheOwnCount() {
        var count = Count()
        var (first, second) = started(on: &count)
        let older = count
        #expect(raise(&first, on: &count) == .asBefore)
        count = older
        #expect(raise(&second, on: &count) == .asBefore)
        #expect(raise(&second, on: &count) == .asBefore)
        let proof = count.value + 1
        #expect(raise(&first, on: &count) == .lost(proof: proof))
    }

    /// The epoch could not be begun, because the store did not answer.
    @Test func aLossIsProvenAgainUntilItsEpochIsKnown() {
        var count = Count()
        var (first, second) = started(on: &count)
        let older = count
        #expect(raise(&first, on: &count) == .asBefore)
        count = older
        for _ in 0..<3 { _ = raise(&second, on: &count) }
        let lost = first.raise
        let answer = count.perform(lost)
        #expect(first.note(answer, of: lost) == .lost(proof: answer.count))
        #expect(first.note(answer, of: lost) == .lost(proof: answer.count))
        count.leap()
        #expect(first.learn(epoch, count: count.value) == .first)
        #expect(raise(&first, on: &count) == .asBefore)
        #expect(raise(&first, on: &count) == .asBefore)
    }

    @Test func aJumpIsNoLossButMayBeANewEpoch() {
        var count = Count()
        var (first, second) = started(on: &count)
        let older = count
        #expect(raise(&first, on: &count) == .asBefore)
        #expect(raise(&second, on: &count) == .asBefore)
        count = older
        #expect(raise(&first, on: &count) == .lost(proof: older.value + 1))
        count.leap()
        #expect(raise(&second, on: &count) == .mayHaveChanged)
        _ = second.learn(epoch, count: count.value)
        #expect(raise(&second, on: &count) == .asBefore)
    }

    /// An answer from before the loss that is processed after it.
    @Test func aLateAnswerIsNotTakenForTheCountOfTheNewEpoch() {
        var count = Count()
        var (first, _) = started(on: &count)
        let older = count
        let late = first.raise
        let answer = count.perform(late)
        #expect(raise(&first, on: &count) == .asBefore)
        count = older
        #expect(raise(&first, on: &count) == .lost(proof: older.value + 1))
        count.leap()
        _ = first.learn(epoch, count: count.value)
        #expect(first.note(answer, of: late) == .asBefore)
        #expect(raise(&first, on: &count) == .asBefore)
    }
}
