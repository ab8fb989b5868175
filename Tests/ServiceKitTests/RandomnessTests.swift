import ServiceKit
import Testing

@Suite struct RandomnessTests {
    private struct Fixed: RandomSource {
        let value: UInt64

        func next() -> UInt64 { value }
    }

    private let backoff = Backoff(first: .seconds(1), longest: .seconds(20))

    @Test(arguments: [(0, 1), (1, 1), (2, 2), (3, 4), (5, 16), (6, 20), (1_000_000, 20)])
    func theWaitDoublesUpToItsLongest(attempt: Int, ceiling: Int64) {
        let shortest = backoff.delay(afterAttempt: attempt, random: Fixed(value: .min))
        let longest = backoff.delay(afterAttempt: attempt, random: Fixed(value: .max))
        #expect(shortest == .milliseconds(ceiling * 500))
        #expect(longest <= .seconds(ceiling) && longest > .milliseconds(ceiling * 999))
    }

    /// The published first outputs of SplitMix64: a seed recorded today must give the same run tomorrow.
    @Test func aSeedGivesTheSameNumbersForEver() {
        let random = SeededRandomSource(seed: 1_234_567)
        #expect(
            (0..<3).map { _ in random.next() } == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            ])
    }

    @Test func hexadecimalKeepsItsLeadingZeros() {
        #expect(Fixed(value: 0xAB).hexadecimal() == "00000000000000ab")
    }
}
