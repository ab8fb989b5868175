/// Outcomes of some of the pushes that were sent together, by their positions among them.
package struct PartialOutcomes: Sendable {
    private var positions: [Int]
    private var outcomes: [PushOutcome]

    package init(_ positions: [Int] = [], outcomes: [PushOutcome] = []) {
        precondition(positions.count == outcomes.count, "each push has one outcome")
        self.positions = positions
        self.outcomes = outcomes
    }

    package var count: Int { positions.count }
    package var isEmpty: Bool { positions.isEmpty }
    package var values: [PushOutcome] { outcomes }
    package var entries: Zip2Sequence<[Int], [PushOutcome]> { zip(positions, outcomes) }

    package mutating func append(_ other: PartialOutcomes) {
        positions += other.positions
        outcomes += other.outcomes
    }
}
