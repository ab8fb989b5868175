import ServiceKit

/// Reproducible random numbers: tests take the seed as an argument, so that a failure names it.
package struct Dice: RandomNumberGenerator {
    private let source: SeededRandomSource

    package init(seed: UInt64) {
        source = SeededRandomSource(seed: seed)
    }

    /// Three fixed seeds and one that is new in each run.
    package static let seeds: [UInt64] = [1, 2, 3, .random(in: 4 ... .max)]

    package mutating func next() -> UInt64 { source.next() }

    package mutating func number(below limit: Int) -> Int {
        Int.random(in: 0..<limit, using: &self)
    }

    package mutating func chance(_ part: Int, of whole: Int) -> Bool {
        number(below: whole) < part
    }

    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }

    package mutating func text(_ lengths: ClosedRange<Int>, of characters: String) -> String {
        let alphabet = Array(characters)
        return String((0..<Int.random(in: lengths, using: &self)).map { _ in alphabet[number(below: alphabet.count)] })
    }
}
