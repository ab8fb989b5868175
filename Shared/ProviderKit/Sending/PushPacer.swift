import PushModel
package import ServiceKit
package import Store
import Synchronization
import Topics

/// Keeps the rates of tasks and apps at the provider, together with all other senders.
///
/// A chunk takes slots for its pushes, and each part of it waits for the slot of its first push. What may not be sent
/// within seconds is put aside. Before a part is sent, this process keeps the distance to the part before it: pushes
/// that were delayed after their slots, by the provider or by this machine, do not catch up faster than the rate.
package final class PushPacer: Sendable {
    /// Parts of a chunk are sent at once; small ones keep each second close to the rate.
    private static let partsPerSecond = 125
    /// Rates whose last push is remembered.
    private static let ratesMaximum = 1_024

    private let pacing: any PushPacing
    private let time: any TimeSource
    private let next = Mutex(RecentlyUsed<PushRate.Scope, Duration>(costMaximum: PushPacer.ratesMaximum))

    package init(_ pacing: any PushPacing, time: any TimeSource) {
        self.pacing = pacing
        self.time = time
    }

    /// Pushes of a chunk that are sent at once.
    static func partMaximum(of rates: [PushRate]) -> Int {
        rates.map { max(1, $0.perSecond / partsPerSecond) }.min() ?? .max
    }

    func take(_ count: Int, at rates: [PushRate]) async throws(StoreError) -> PacedSlots {
        var slots = PacedSlots()
        for rate in rates {
            let taken = try await pacing.take(slots.limited(count), at: rate)
            slots.add(taken, at: rate, now: time.uptime)
        }
        return slots
    }

    /// Waits for the slot of a push.
    func waitForSlot(_ number: Int, of slots: PacedSlots) async throws {
        try await sleep(until: slots.time(of: number))
    }

    /// Waits until pushes may follow those before them.
    func keepDistance(before count: Int, at rates: [PushRate]) async throws {
        let now = time.uptime
        let start = next.withLock { next in
            let start = rates.reduce(now) { max($0, next.value(for: $1.scope) ?? now) }
            for rate in rates {
                next.set(start + .seconds(count) / rate.perSecond, for: rate.scope)
            }
            return start
        }
        try await sleep(until: start)
    }

    private func sleep(until moment: Duration) async throws {
        let pause = moment - time.uptime
        if pause > .zero { try await time.sleep(for: pause) }
    }
}

/// The slots of a chunk's pushes: those of all its rates.
struct PacedSlots: Sendable {
    private struct Run {
        let rate: PushRate
        /// Uptime of the first slot.
        let start: Duration
    }

    private var runs: [Run] = []
    /// Nil without a rate.
    private var count: Int?
    /// Until a slot for the next push is free.
    private(set) var pause = Duration.zero

    func limited(_ wish: Int) -> Int { min(wish, count ?? wish) }

    func has(_ number: Int) -> Bool { count.map { number < $0 } ?? true }

    func time(of number: Int) -> Duration {
        runs.reduce(.zero) { max($0, $1.start + PacingBounds.interval(number, at: $1.rate)) }
    }

    mutating func add(_ taken: TakenSlots, at rate: PushRate, now: Duration) {
        count = taken.count
        pause = max(pause, taken.wait + PacingBounds.interval(taken.count, at: rate))
        runs.append(Run(rate: rate, start: now + taken.wait))
    }
}
