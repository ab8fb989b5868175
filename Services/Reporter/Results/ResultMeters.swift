import PushModel
import ServiceKit
import Topics

/// Counts results by state and provider; apps are unbounded in number and have no series of their own.
struct ResultMeters: Sendable {
    private struct Kind: Hashable {
        let state: DeliveryState
        let provider: PushProtocol
    }

    private let counters: [Kind: Counter]

    init(_ metrics: Metrics) {
        var counters: [Kind: Counter] = [:]
        for state in DeliveryState.allCases where state.isTerminal {
            for provider in PushProtocol.allCases {
                counters[Kind(state: state, provider: provider)] = metrics.counter(
                    .reporterResults, labels: ["state": state.name, "provider": provider.name])
            }
        }
        self.counters = counters
    }

    func note(_ batches: [ResultBatch]) {
        var counts: [Kind: Int] = [:]
        for batch in batches {
            for result in batch.results {
                counts[Kind(state: result.state, provider: result.provider), default: 0] += 1
            }
        }
        for (kind, count) in counts { counters[kind]?.increment(by: count) }
    }
}
