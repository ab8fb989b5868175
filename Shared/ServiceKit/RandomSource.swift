import Synchronization

/// Source of jitter and random ids; seeded in tests and in the simulation to make a run repeatable.
package protocol RandomSource: Sendable {
    func next() -> UInt64
}

extension RandomSource {
    /// Uniformly distributed over the range.
    package func duration(in range: ClosedRange<Duration>) -> Duration {
        let fraction = Double(next() >> 11) / Double(1 << 53)
        return range.lowerBound + (range.upperBound - range.lowerBound) * fraction
    }

    /// A lower-case hexadecimal string of 16 digits.
    package func hexadecimal() -> String {
        next().hexadecimal
    }
}

package struct SystemRandomSource: RandomSource {
    package init() {}

    package func next() -> UInt64 {
        UInt64.random(in: .min ... .max)
    }
}

/// A small generator that yields the same sequence everywhere for one seed.
package final class SeededRandomSource: RandomSource {
    private let state: Mutex<UInt64>

    package init(seed: UInt64) {
        state = Mutex(seed)
    }

    package func next() -> UInt64 {
        state.withLock { state in
            defer { state &+= SplitMix64.increment }
            return SplitMix64.mixed(state)
        }
    }
}
