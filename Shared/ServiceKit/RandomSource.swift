import Synchronization

/// Where jitter and random ids come from; seeded in tests and in the simulation, so that a run can be repeated.
package protocol RandomSource: Sendable {
    func next() -> UInt64
}

extension RandomSource {
    /// Evenly spread over the range.
    package func duration(in range: ClosedRange<Duration>) -> Duration {
        let fraction = Double(next() >> 11) / Double(1 << 53)
        return range.lowerBound + (range.upperBound - range.lowerBound) * fraction
    }

    /// A lower-case hexadecimal string of 16 digits.
    package func hexadecimal() -> String {
        let digits = String(next(), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

package struct SystemRandomSource: RandomSource {
    package init() {}

    package func next() -> UInt64 {
        UInt64.random(in: .min ... .max)
    }
}

/// SplitMix64: small, and the same everywhere for one seed.
package final class SeededRandomSource: RandomSource {
    private let state: Mutex<UInt64>

    package init(seed: UInt64) {
        state = Mutex(seed)
    }

    package func next() -> UInt64 {
        state.withLock { state in
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }
}
