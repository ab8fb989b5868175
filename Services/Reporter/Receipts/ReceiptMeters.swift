import PushModel
import ServiceKit
import Store

struct ReceiptMeters: Sendable {
    private let counted: [ReceiptKind: Counter]
    private let repeated: Counter
    private let delay: Gauge

    init(_ metrics: Metrics) {
        counted = Dictionary(
            uniqueKeysWithValues: ReceiptKind.allCases.map { kind in
                (kind, metrics.counter(.reporterReceiptsCounted, labels: ["kind": kind.name]))
            })
        repeated = metrics.counter(.reporterReceiptsRepeated)
        delay = metrics.gauge(.reporterReceiptDelay)
    }

    func note(_ counts: ReceiptCounts, of total: Int) {
        for kind in ReceiptKind.allCases { counted[kind]?.increment(by: counts[kind]) }
        repeated.increment(by: total - counts.total)
    }

    /// The bus tells its backlog only on Kafka; this is known on every bus.
    func note(delay time: Duration) {
        delay.set(max(0, Int(time.wholeMilliseconds)))
    }
}
