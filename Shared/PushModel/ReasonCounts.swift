/// Why devices were not delivered: how many ended in which state with which status and reason. A bounded number of
/// different ones is kept; the others are added up under `other`, each for its state.
package struct ReasonCounts: Hashable, Sendable {
    package struct Reason: Hashable, Sendable {
        package let state: DeliveryState
        /// The provider's status; zero without an answer.
        package let status: UInt16
        package let text: String

        package init(_ state: DeliveryState, status: UInt16, text: String) {
            self.state = state
            self.status = status
            self.text = text
        }

        var isOther: Bool { status == 0 && text == ReasonCounts.other }
    }

    package static let reasonsMaximum = 32
    package static let other = "other"

    package private(set) var counts: [Reason: Int] = [:]

    package init() {}

    /// Leaves out what says nothing: a delivery, and an ending without a status or a text.
    package mutating func add(_ count: Int = 1, of reason: Reason) {
        guard reason.state.isTerminal, reason.state != .delivered, reason.status > 0 || !reason.text.isEmpty else {
            return
        }
        let isKept = counts[reason] != nil || reason.isOther || keptCount < ReasonCounts.reasonsMaximum
        counts[isKept ? reason : Reason(reason.state, status: 0, text: ReasonCounts.other), default: 0] += count
    }

    package mutating func add(_ others: ReasonCounts) {
        for (reason, count) in others.mostFrequent { add(count, of: reason) }
    }

    /// In falling order.
    package var mostFrequent: [(reason: Reason, count: Int)] {
        counts.map { (reason: $0.key, count: $0.value) }.sorted { left, right in
            guard left.count == right.count else { return left.count > right.count }
            return left.reason.order < right.reason.order
        }
    }

    private var keptCount: Int { counts.keys.count { !$0.isOther } }
}

extension ReasonCounts.Reason {
    fileprivate var order: (UInt8, UInt16, String) { (state.rawValue, status, text) }
}
