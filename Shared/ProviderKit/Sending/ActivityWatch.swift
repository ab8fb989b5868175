import PushModel
package import ServiceKit
package import Store
import Synchronization
import Topics

/// Knows whether a newer state of a Live Activity was sent than the one that a chunk has.
package final class ActivityWatch: Sendable {
    private struct Place: Hashable {
        let space: AppID
        let activity: ActivityID
    }

    private struct Entry {
        let clock: ActivityClock
        let readAt: Duration
    }

    /// For how long a clock is used: a broadcast asks for every batch, and the next state comes a second later.
    private static let age = Duration.milliseconds(50)
    private static let entriesMaximum = 1_024

    private let clocks: any ActivityClocks
    private let time: any TimeSource
    private let known = Mutex(RecentlyUsed<Place, Entry>(costMaximum: ActivityWatch.entriesMaximum))

    package init(_ clocks: any ActivityClocks, time: any TimeSource) {
        self.clocks = clocks
        self.time = time
    }

    /// False also if the store does not answer: phones keep the newest state by its timestamp.
    func isSuperseded(_ state: ChunkActivity, of app: AppID) async -> Bool {
        let place = Place(space: app.activities, activity: state.activity)
        guard let clock = await clock(of: place) else { return false }
        switch state.event {
        case .start: return clock.hasEnded
        case .update, .end: return clock.timestamp > state.timestamp
        }
    }

    private func clock(of place: Place) async -> ActivityClock? {
        let now = time.uptime
        if let entry = known.withLock({ $0.value(for: place) }), now - entry.readAt < ActivityWatch.age {
            return entry.clock
        }
        guard let clock = try? await clocks.clock(of: place.activity, in: place.space) else { return nil }
        known.withLock { $0.set(Entry(clock: clock, readAt: now), for: place) }
        return clock
    }
}
