package import PushModel
package import ServiceKit

/// The Live Activities of each app. Their facts are part of the registry and of its log. Their clocks are not: after a
/// loss they begin anew, from the wall clock.
///
/// The app in all calls is the app's space of activities.
package protocol Activities: ActivityClocks, ActivityFactReader {
    /// Stores a fact, or forgets it. Throws `tooMany` for the base of a new activity beyond the maximum.
    func save(_ record: ActivityRecord?, as fact: ActivityFact, in space: AppID) async throws(StoreError)
    /// The activities by the time of their base, the latest first, after the last one of the page before.
    func activities(
        after last: ActivityPlace?, limit: Int, in space: AppID
    ) async throws(StoreError) -> [ActivityPlace]
    /// The same from the other end: those that began first, after the last one of the page before.
    func oldest(
        after last: ActivityPlace?, limit: Int, in space: AppID
    ) async throws(StoreError) -> [ActivityPlace]
    /// Replaces the clock, unless it was changed since it was read; nil removes it. False if it was.
    func replace(
        _ clock: ActivityClock, by next: ActivityClock?, of activity: ActivityID, in space: AppID
    ) async throws(StoreError) -> Bool
}

/// Read access to the clocks, also for services without a registry.
package protocol ActivityClocks: Sendable {
    /// An empty clock for an activity that has none.
    func clock(of activity: ActivityID, in space: AppID) async throws(StoreError) -> ActivityClock
}

package enum ActivityBounds {
    /// Activities of an app, those that have ended included.
    package static let countMaximum = 200_000
}

/// An activity in the list of its app.
package struct ActivityPlace: Hashable, Sendable {
    package let activity: ActivityID
    package let time: Timestamp

    package init(_ activity: ActivityID, time: Timestamp) {
        self.activity = activity
        self.time = time
    }

    /// True if the other one comes after it, where the latest is the first.
    package func precedes(_ other: ActivityPlace) -> Bool {
        guard time == other.time else { return time > other.time }
        return other.activity.text.utf8.lexicographicallyPrecedes(activity.text.utf8)
    }
}
