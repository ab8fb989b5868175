/// Outcomes of some pushes, in their order.
package struct SendRound: Sendable {
    package var outcomes: [PushOutcome]
    /// The wait that the provider asks of the whole app.
    package private(set) var pause = Duration.zero

    package init(outcomes: [PushOutcome] = []) {
        self.outcomes = outcomes
    }

    package mutating func add(_ answer: ProviderAnswer) {
        add(.answered(answer))
    }

    package mutating func add(_ outcome: PushOutcome) {
        outcomes.append(outcome)
        guard case .answered(let answer) = outcome, case .throttled(.app, let advice) = answer.verdict else { return }
        pause = max(pause, advice.floor)
    }

    /// Replaces the outcomes at these positions by those of another round.
    package mutating func replace(_ positions: [Int], with other: SendRound) {
        for (position, outcome) in zip(positions, other.outcomes) { outcomes[position] = outcome }
        pause = max(pause, other.pause)
    }
}
