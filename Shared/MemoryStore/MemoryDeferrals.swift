import PushModel
import ServiceKit
import Store

/// The deferred devices of a segment.
struct MemoryDeferrals {
    private struct Group: Hashable {
        let cause: DeferralCause
        let due: Timestamp
    }

    private var groups: [UInt16: Group] = [:]
    /// The last deferral with each.
    private var times: [Group: Timestamp] = [:]

    mutating func set(_ offset: UInt16, cause: DeferralCause, due: Timestamp, at now: Timestamp) {
        let group = Group(cause: cause, due: due)
        groups[offset] = group
        times[group] = now
    }

    mutating func remove(_ offset: UInt16) {
        groups[offset] = nil
    }

    func detail(of offset: UInt16) -> OutcomeDetail? {
        guard let group = groups[offset], let time = times[group] else { return nil }
        return OutcomeDetail(
            state: .deferred, attempt: 0, time: time, status: 0, reason: group.cause.name, due: group.due)
    }

    func add(to summary: inout DeferralSummary) {
        for group in groups.values { summary.add(1, due: group.due, for: group.cause) }
    }
}
