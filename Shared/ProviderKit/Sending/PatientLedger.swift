import Bus
import PushModel
import ServiceKit
import Store

/// The ledger as a sender asks it: what a failure would leave in doubt is asked for once more.
struct PatientLedger: Sendable {
    private static let pauses = Backoff(first: .milliseconds(100), longest: .seconds(5))
    /// Long enough for another Redis to take over, and short enough for a worker that is to show that it lives.
    private static let patience = Duration.seconds(30)
    private let ledger: any Ledger

    init(_ ledger: any Ledger) {
        self.ledger = ledger
    }

    /// Asked again under the same number when the answer is lost: devices that the first try has claimed would belong to
    /// nobody until their lease is over, and then count as sent.
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

    /// What the provider has answered is known to the sender alone, and without it the devices are sent again: a ledger
    /// that does not answer is asked again for a while, at most until the claim is over.
    func settle(
        _ settlement: Settlement, of task: TaskID, in segment: SegmentID, until leaseEnd: Duration,
        context: HandlerContext
    ) async throws -> SettleVerdict {
        let end = min(leaseEnd, context.time.uptime + PatientLedger.patience)
        var failures = 0
        while true {
            do throws(StoreError) {
                let verdict = try await ledger.settle(settlement, of: task, in: segment)
                // The first try may have done it: then only the ledger can say for which devices.
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

    func noteTold(_ devices: SegmentSet, of task: TaskID, in segment: SegmentID) async throws(StoreError) {
        try await ledger.noteTold(devices, of: task, in: segment)
    }

    func detail(
        of offset: UInt16, task: TaskID, in segment: SegmentID
    ) async throws(StoreError) -> OutcomeDetail? {
        try await ledger.detail(of: offset, task: task, in: segment)
    }
}

/// A settlement was repeated, and the ledger holds what it says already: the chunk comes again and is told from there.
package struct SettlementUnknownError: RetriableError, CustomStringConvertible {
    package let isRetriable = true
    package var description: String { "the ledger's answer to a settlement was lost" }
}
