import Bus
import PushModel
import ServiceKit
import Store
import Synchronization
import Topics

/// Ends devices in the ledger that were removed from the registry while they waited: nobody could send to them.
final class RemovedDevices: Sendable {
    static let reason = "removed"
    /// Far longer than the two steps it has to outlast.
    private static let claimLease = Duration.seconds(30)

    struct Ending: Sendable {
        let results: [OutgoingMessage]
        let held: RetryGroup
    }

    private let ledger: any Ledger
    private let time: any TimeSource
    private let log: Log
    private let owner: UInt64
    private let claims = Atomic<UInt64>(0)
    private let removed: Counter
    private let unledgered: Counter

    init(ledger: any Ledger, environment: WorkerEnvironment) {
        self.ledger = ledger
        time = environment.time
        log = environment.log
        owner = environment.random.next()
        removed = environment.metrics.counter(.schedulerDevicesRemoved)
        unledgered = environment.metrics.counter(.schedulerDevicesUnledgered)
    }

    func end(_ gone: RetryGroup) async throws -> Ending {
        let offsets = gone.offsets.offsets
        var results: [DeviceResult] = []
        var held: [UInt16] = []
        for start in stride(from: 0, to: offsets.count, by: ClaimRequest.devicesMaximum) {
            let part = Array(offsets[start..<min(start + ClaimRequest.devicesMaximum, offsets.count)])
            let claimed = try await claim(part, gone)
            results += try await suppress(claimed, gone)
            for (offset, state) in claimed.ended { results.append(try await told(offset, state, gone)) }
            held += claimed.held
        }
        let batches = ResultBatch.batches(results, of: gone.key.task, app: gone.key.segment.app, at: time.now)
        let messages = batches.map { Topics.results.message(OpaqueMessage($0.encoded()), key: $0.key) }
        return Ending(results: messages, held: gone.limited(to: held))
    }

    private struct Claimed {
        let id: ClaimID
        var mine: [UInt16] = []
        var ended: [(UInt16, DeliveryState)] = []
        var held: [UInt16] = []
    }

    private func claim(_ offsets: [UInt16], _ gone: RetryGroup) async throws(StoreError) -> Claimed {
        let id = ClaimID(owner: owner, number: claims.wrappingAdd(1, ordering: .relaxed).newValue)
        let request = ClaimRequest(
            id: id, offsets: offsets, attempt: gone.key.attempt, lease: RemovedDevices.claimLease, countsBadge: false)
        var claimed = Claimed(id: id)
        guard case .answers(let answers) = try await ledger.claim(request, of: gone.key.task, in: gone.key.segment)
        else {
            alarm("retries have no ledger", offsets.count, gone)
            return claimed
        }
        var unmarked = 0
        for (offset, answer) in zip(offsets, answers) {
            switch answer {
            case .claimed: claimed.mine.append(offset)
            case .ended(let state): claimed.ended.append((offset, state))
            case .held: claimed.held.append(offset)
            // Its later attempt has an order of its own.
            case .superseded: break
            case .unmarked: unmarked += 1
            }
        }
        if unmarked > 0 { alarm("retries of devices that were never marked", unmarked, gone) }
        return claimed
    }

    private func suppress(_ claimed: Claimed, _ gone: RetryGroup) async throws(StoreError) -> [DeviceResult] {
        guard !claimed.mine.isEmpty else { return [] }
        let settlement = Settlement(
            claim: claimed.id,
            groups: [
                Settlement.Group(
                    offsets: claimed.mine, state: .suppressed, attempt: gone.key.attempt,
                    reason: RemovedDevices.reason)
            ])
        guard case .settled(let refused) = try await ledger.settle(settlement, of: gone.key.task, in: gone.key.segment)
        else {
            alarm("a ledger went while its devices were ended", claimed.mine.count, gone)
            return []
        }
        let ended = claimed.mine.filter { !refused.contains($0) }
        removed.increment(by: ended.count)
        return ended.map { result($0, .suppressed, gone.key.attempt, 0, RemovedDevices.reason, gone) }
    }

    /// What ended before is told again as it was: whoever ended it may have died before it was told.
    private func told(
        _ offset: UInt16, _ state: DeliveryState, _ gone: RetryGroup
    ) async throws(StoreError) -> DeviceResult {
        let detail = try await ledger.detail(of: offset, task: gone.key.task, in: gone.key.segment)
        return result(
            offset, state, detail?.attempt ?? gone.key.attempt, detail?.status ?? 0, detail?.reason ?? "", gone)
    }

    private func result(
        _ offset: UInt16, _ state: DeliveryState, _ attempt: UInt8, _ status: UInt16, _ reason: String,
        _ gone: RetryGroup
    ) -> DeviceResult {
        guard let member = gone.members[offset] else { preconditionFailure("a ledger answers what it was asked") }
        let index = DeviceIndex(segment: gone.key.segment.number, offset: offset)
        return DeviceResult(
            device: DeviceID(index: index, tag: member.tag), provider: member.provider, state: state, attempt: attempt,
            status: status, reason: reason)
    }

    private func alarm(_ message: String, _ count: Int, _ gone: RetryGroup) {
        unledgered.increment(by: count)
        log.error(
            message, [.task: "\(gone.key.task)", .segment: "\(gone.key.segment)", .count: "\(count)"])
    }
}
