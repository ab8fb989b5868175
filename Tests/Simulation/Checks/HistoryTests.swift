import Testing

/// Goal: no history breaks a rule, and the same seed is the same history. Method: the first seeds of `make simulate`,
/// in parts, so that all cores have something to do. Sets and dictionaries have the same order in each process only
/// with SWIFT_DETERMINISTIC_HASHING, which `make test` sets.
@Suite(.timeLimit(.minutes(10))) struct HistoryTests {
    private static let seeds: UInt64 = 200
    private static let part: UInt64 = 20

    @Test(arguments: Array(stride(from: 1, through: seeds, by: Int(part))))
    func nothingIsLostRepeatedOrMiscounted(from first: UInt64) {
        for seed in first..<(first + HistoryTests.part) {
            let violations = HistoryRun(History(seed: seed)).violations()
            #expect(violations.isEmpty, "replay: carillon-simulate --seed \(seed)")
        }
    }

    @Test(.enabled(if: DeterministicHashing.isOn)) func aSeedIsOneHistory() {
        let runs = (0..<2).map { _ in
            let run = HistoryRun(History(seed: 7))
            _ = run.violations()
            return run.world.trace.digest
        }
        #expect(runs[0] == runs[1])
        let other = HistoryRun(History(seed: 8))
        _ = other.violations()
        #expect(other.world.trace.digest != runs[0])
    }
}
