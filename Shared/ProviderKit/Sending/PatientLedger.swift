import Bus
import PushModel
import ServiceKit
import Store

/// The ledger as senders use it: calls whose failure would leave doubt are retried.
struct PatientLedger: Sendable {
    private static let pauses = Backoff(first: .milliseconds(100), longest: .seconds(5))
    /// Long enough for a Redis failover, and short enough for a worker that must show that it is alive.
    private static let patience = Duration.seconds(30)
    private let ledger: any Ledger

    init(_ ledger: any Ledger) {
        self.ledger = ledger
    }

    /// Retried under the same number if the answer is lost: devices claimed by the first try would have no owner until
    /// their lease expires, and then count as sent.
    func claim(
        _ request: ClaimRequest, of task: TaskID, in segment: SegmentID
    ) async throws(StoreError) -> ClaimVerdict {
        do throws(StoreError) {
            return try await ledger.claim(request, of: task, in: segment)
        } catch {
            guard error.isRetriable else { throw error }
            return try await ledger.claim(request, of: task, in: segment)
        }
    }

    /// Only the sender knows the provider's answers, and without them the devices are sent again: a ledger that does
    /// not answer is retried for a while, at most until the claim expires.
    func settle(
        _ settlement: Settlement, of task: TaskID, in segment: SegmentID, until leaseEnd: Duration,
        context: HandlerContext
    ) async throws -> SettleVerdict {
        let end = min(leaseEnd, context.time.uptime + PatientLedger.patience)
        var failures = 0
        while true {
            do throws(StoreError) {
                let verdict = try await ledger.settle(settlement, of: task, in: segment)
                // The first try may have succeeded: then only the ledger can say for which devices.
                if failures > 0, case .settled(let refused) = verdict, !refused.isEmpty { break }
                return verdict
            } catch {
                failures += 1
                let pause = PatientLedger.pauses.delay(afterAttempt: failures, random: context.random)
                guard error.isRetriable, context.time.uptime + pause < end else { throw error }
                try await context.time.sleep(for: pause)
            }
        }
        throw SettlementUnknownError()
    }

    func `defer`(
        _ groups: [Deferral], of task: TaskID, in segment: SegmentID
    ) async throws(StoreError) -> SegmentSet {
        try await ledger.defer(groups, of: task, in: segment)
    }

    func noteReported(_ devices: SegmentSet, of task: TaskID, in segment: SegmentID) async throws(StoreError) {
        try await ledger.noteReported(devices, of: task, in: segment)
    }

    func detail(
        of offset: UInt16, task: TaskID, in segment: SegmentID
    ) async throws(StoreError) -> OutcomeDetail? {
        try await ledger.detail(of: offset, task: task, in: segment)
    }
}

/// A settlement was repeated, and the ledger already holds its outcomes: the redelivered chunk is reported from there.
package struct SettlementUnknownError: RetriableError, CustomStringConvertible {
    package let isRetriable = true
    package var description: String { "the ledger's answer to a settlement was lost; waiting for redelivery" }
}
