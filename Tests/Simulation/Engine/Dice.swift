import ServiceKit

/// The random choices of a history. Each part of it has dice of its own, so that a change in one leaves the others.
struct Dice: Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = SplitMix64.mixed(seed)
    }

    mutating func next() -> UInt64 {
        state &+= SplitMix64.increment
        return SplitMix64.mixed(state)
    }

    mutating func number(below limit: Int) -> Int { Int(next() % UInt64(limit)) }
    mutating func number(in range: ClosedRange<Int>) -> Int { range.lowerBound + number(below: range.count) }
    mutating func chance(_ percent: Int) -> Bool { number(below: 100) < percent }
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(below: elements.count)] }

    mutating func duration(_ range: ClosedRange<Duration>) -> Duration {
        let span = (range.upperBound - range.lowerBound).wholeMilliseconds
        return range.lowerBound + .milliseconds(Int64(next() % UInt64(span + 1)))
    }
}
