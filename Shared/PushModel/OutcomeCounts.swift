/// Number of devices that ended in each terminal state.
package struct OutcomeCounts: Hashable, Sendable {
    package static let states = DeliveryState.allCases.filter(\.isTerminal)
    private static let first = Int(DeliveryState.delivered.rawValue)

    /// The terminal states are consecutive.
    private var counts = [Int](repeating: 0, count: OutcomeCounts.states.count)

    package init() {}

    package init(count: (DeliveryState) -> Int) {
        counts = OutcomeCounts.states.map(count)
    }

    /// Other states have no devices, and setting their number has no effect.
    package subscript(state: DeliveryState) -> Int {
        get { state.isTerminal ? counts[Int(state.rawValue) - OutcomeCounts.first] : 0 }
        set {
            guard state.isTerminal else { return }
            counts[Int(state.rawValue) - OutcomeCounts.first] = newValue
        }
    }

    package var targeted: Int { counts.reduce(0, +) }

    package mutating func add(_ other: OutcomeCounts) {
        for place in counts.indices { counts[place] += other.counts[place] }
    }

    /// What is left without the others; never below zero.
    package func without(_ others: some Sequence<OutcomeCounts>) -> OutcomeCounts {
        others.reduce(into: self) { rest, other in
            for place in rest.counts.indices { rest.counts[place] = max(0, rest.counts[place] - other.counts[place]) }
        }
    }
}
