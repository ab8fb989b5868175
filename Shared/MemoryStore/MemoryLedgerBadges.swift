package import PushModel
import ServiceKit

/// Increments badges in the registry, which stores them.
package protocol MemoryBadges: Sendable {
    func changeBadges<Answer>(in segment: SegmentID, _ body: (inout [UInt16: UInt32]) -> Answer) -> Answer
}

/// Badges of a ledger without a registry.
package final class MemoryLedgerBadges: MemoryBadges {
    private let counters = Monitor<[SegmentID: [UInt16: UInt32]]>([:])

    package init() {}

    package func changeBadges<Answer>(in segment: SegmentID, _ body: (inout [UInt16: UInt32]) -> Answer) -> Answer {
        counters.withLock { body(&$0[segment, default: [:]]) }
    }
}
