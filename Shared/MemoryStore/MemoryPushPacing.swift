package import PushModel
package import ServiceKit
package import Store
import Synchronization

/// Slots in memory.
package final class MemoryPushPacing: PushPacing, Revertible {
    private struct Reservation: Hashable {
        let scope: PushRate.Scope
        let task: TaskID
        let name: String
    }

    private struct State {
        var reserved: [PushRate.Scope: Double] = [:]
        var reservations: [Reservation: Timestamp] = [:]
        var taken: [PushRate.Scope: Double] = [:]
    }

    private let time: any TimeSource
    private let state = Mutex(State())

    package init(time: any TimeSource) {
        self.time = time
    }

    package func reserve(_ count: Int, as name: String, of task: TaskID, at rate: PushRate) -> Timestamp? {
        let now = Double(time.now.milliseconds)
        let ahead = Double(PacingBounds.horizon.wholeMilliseconds)
        let reservation = Reservation(scope: rate.scope, task: task, name: name)
        return state.withLock { state in
            if let earlier = state.reservations[reservation] { return earlier }
            let slot = MemoryPushPacing.next(state.reserved[rate.scope], ahead: ahead, at: now, earliest: now)
            guard slot - now <= ahead else { return nil }
            state.reserved[rate.scope] = slot + Double(count) * PacingBounds.microseconds(at: rate) / 1_000
            let first = Timestamp(milliseconds: Int64(slot))
            state.reservations[reservation] = first
            return first
        }
    }

    package func take(_ count: Int, at rate: PushRate) -> TakenSlots {
        let now = Double(time.now.milliseconds)
        let ahead = Double(PacingBounds.takenAhead.wholeMilliseconds)
        let grace = Double(PacingBounds.grace.wholeMilliseconds)
        let interval = PacingBounds.microseconds(at: rate) / 1_000
        return state.withLock { state in
            let slot = MemoryPushPacing.next(state.taken[rate.scope], ahead: ahead, at: now, earliest: now - grace)
            let count = min(count, max(0, Int(((now + ahead - slot) / interval).rounded(.up))))
            if count > 0 { state.taken[rate.scope] = slot + Double(count) * interval }
            return TakenSlots(count: count, wait: max(.zero, .microseconds(Int64((slot - now) * 1_000))))
        }
    }

    /// Further ahead than slots are given out: the clock was set back. Slots before the earliest are lost.
    private static func next(_ slot: Double?, ahead: Double, at now: Double, earliest: Double) -> Double {
        guard let slot, slot - now <= 2 * ahead + 60_000 else { return earliest }
        return max(slot, earliest)
    }

    package func savedState() -> @Sendable () -> Void {
        let saved = state.withLock { $0 }
        return { self.state.withLock { $0 = saved } }
    }
}
