import PushModel
import ServiceKit
import Store
import TaskKit

/// Ends devices that a job marked and that were removed before it could send them on: nothing else would end them.
final class RemovedTargets: Sendable {
    static let reason = "removed"
    /// Far longer than the two steps that it covers.
    private static let claimLease = Duration.seconds(30)

    private let ledger: any Ledger
    private let log: Log
    private let owner: UInt64
    private let claims = ClaimNumbers()

    init(ledger: any Ledger, random: any RandomSource, log: Log) {
        self.ledger = ledger
        self.log = log
        owner = random.next()
    }

    /// Unmarked devices stay unmarked. There are no results, since the ids left the registry with the devices.
    func end(_ removed: SegmentSet, of task: TaskID, in segment: SegmentID) async throws {
        for part in removed.offsets.chunks(of: ClaimRequest.devicesMaximum) {
            try await end(Array(part), of: task, in: segment)
        }
    }

    private func end(_ offsets: [UInt16], of task: TaskID, in segment: SegmentID) async throws {
        let id = ClaimID(owner: owner, number: claims.next())
        let request = ClaimRequest(
            id: id, offsets: offsets, attempt: 0, lease: RemovedTargets.claimLease, countsBadge: false)
        guard case .answers(let answers) = try await ledger.claim(request, of: task, in: segment) else { return }
        let mine = zip(offsets, answers).filter { $1 == .claimed(badge: nil) }.map(\.0)
        if !mine.isEmpty {
            let group = Settlement.Group(
                offsets: mine, state: .suppressed, attempt: 0, reason: RemovedTargets.reason)
            _ = try await ledger.settle(Settlement(claim: id, groups: [group]), of: task, in: segment)
            log.info(
                "devices suppressed: removed before they were sent",
                [.task: "\(task)", .segment: "\(segment)", .count: "\(mine.count)"])
        }
        // Its holder ends it, or has crashed and leaves it to this process when its lease expires.
        guard !answers.contains(where: \.isHeld) else {
            throw StoreError(
                .unavailable, message: "a removed device is still claimed in the ledger of segment \(segment)")
        }
    }
}
