package import PushModel
package import ServiceKit

/// The slots of rates, shared by all processes. A slot is the time of one push.
///
/// Slots are handed out twice, independently of each other. Resolvers and schedulers reserve one for each device, days
/// ahead, and release the device shortly before. Senders ask for one before each push, seconds ahead: what is released
/// too early, or piled up behind a stalled sender, does not reach the provider faster than the rate allows.
package protocol PushPacing: Sendable {
    /// Reserves slots that follow each other, and returns the time of the first; `PacingBounds.interval` separates
    /// them. Under the name of an earlier reservation of the task it returns that one, so that a repeated step takes no
    /// other slots. Nil if the next free slot is beyond the horizon.
    func reserve(
        _ count: Int, as name: String, of task: TaskID, at rate: PushRate
    ) async throws(StoreError) -> Timestamp?
    /// Takes slots for pushes that are about to be sent, as many as there are within the next seconds.
    func take(_ count: Int, at rate: PushRate) async throws(StoreError) -> TakenSlots
}

package struct TakenSlots: Hashable, Sendable {
    package let count: Int
    /// Until the first of the slots; without slots, until the next that is free.
    package let wait: Duration

    package init(count: Int, wait: Duration) {
        self.count = count
        self.wait = wait
    }
}

package enum PacingBounds {
    /// No slots are reserved further ahead.
    package static let horizon = Duration.seconds(7 * 86_400)
    /// A sender takes no slots further ahead, since it keeps the pushes in memory until then.
    package static let takenAhead = Duration.seconds(5)
    /// How long a slot can still be taken after its time: hides the delays of a process, and adds less to a second than
    /// the distance of the slots leaves free.
    package static let grace = Duration.milliseconds(8)
    /// How long before its slot a device is released: time for the release, for rendering, and to even out both.
    package static let lead = Duration.seconds(2)
    /// Slots are further apart than the rate demands, because a push may be delayed between its slot and the provider,
    /// and must not fall into a second that is full.
    private static let share = 0.975

    /// Microseconds between two slots.
    package static func microseconds(at rate: PushRate) -> Double { 1_000_000 / (Double(rate.perSecond) * share) }

    /// From the first of some slots to this one.
    package static func interval(_ slots: Int, at rate: PushRate) -> Duration {
        .microseconds(Int64(Double(slots) * microseconds(at: rate)))
    }
}
