import PushModel
import ServiceKit
import Topics

struct SenderMeters: Sendable {
    let refused: Counter
    let deferred: Counter
    let unledgered: Counter
    let overRate: Counter
    private let answered: Counter
    private let notSent: Counter
    private let heldBack: Counter
    private let unknown: Counter
    private let duration: Histogram
    private let ended: [DeliveryState: Counter]

    init(_ metrics: Metrics) {
        deferred = metrics.counter(.senderDevicesDeferred)
        refused = metrics.counter(.senderClaimsRefused)
        unledgered = metrics.counter(.senderDevicesUnledgered)
        overRate = metrics.counter(.senderDevicesOverRate)
        answered = metrics.counter(.senderPushes, labels: ["outcome": "answered"])
        notSent = metrics.counter(.senderPushes, labels: ["outcome": "not_sent"])
        heldBack = metrics.counter(.senderPushes, labels: ["outcome": "held_back"])
        unknown = metrics.counter(.senderPushes, labels: ["outcome": "unknown"])
        duration = metrics.histogram(.senderPushDuration)
        ended = Dictionary(
            uniqueKeysWithValues: DeliveryState.allCases.filter(\.isTerminal).map { state in
                (state, metrics.counter(.senderDevicesEnded, labels: ["state": state.name]))
            })
    }

    func note(_ outcomes: [PushOutcome], after taken: Duration) {
        duration.record(taken)
        for outcome in outcomes {
            switch outcome {
            case .answered: answered.increment()
            case .notSent: notSent.increment()
            case .heldBack: heldBack.increment()
            case .unknown: unknown.increment()
            }
        }
    }

    func note(_ results: [DeviceResult]) {
        for result in results { ended[result.state]?.increment() }
    }
}
