import ServiceKit

/// Counts the receipts of devices, accepted and refused.
struct ReceiptMeters: Sendable {
    /// Why proven receipts were not accepted; their request was answered 503. The raw value is a label.
    enum Obstacle: String, CaseIterable {
        /// Redis or the bus has no room.
        case full
        case unavailable
    }

    private let accepted: Counter
    private let refused: [ReceiptCheck.Reason: Counter]
    private let unsent: [Obstacle: Counter]

    init(_ metrics: Metrics) {
        accepted = metrics.counter(.ingestReceiptsAccepted)
        refused = Dictionary(
            uniqueKeysWithValues: ReceiptCheck.Reason.allCases.map {
                ($0, metrics.counter(.ingestReceiptsRefused, labels: ["reason": $0.rawValue]))
            })
        unsent = Dictionary(
            uniqueKeysWithValues: Obstacle.allCases.map {
                ($0, metrics.counter(.ingestReceiptsRefused, labels: ["reason": $0.rawValue]))
            })
    }

    /// The proven ones are durable.
    func note(_ receipts: CheckedReceipts) {
        accepted.increment(by: receipts.proven.count)
        for (_, refusal) in receipts.refused { refused[refusal.reason]?.increment() }
    }

    func note(unsent count: Int, because obstacle: Obstacle) {
        unsent[obstacle]?.increment(by: count)
    }
}
