import PushModel
import ServiceKit
import Store

/// The Live Activities of one app.
struct MemoryActivities {
    var facts: [ActivityFact: ActivityRecord] = [:]
    var clocks: [ActivityID: ActivityClock] = [:]
    var channels: [ChannelPlace: ActivityChannel] = [:]
    /// Ends of the reservations of channels that are being made.
    var reservations: [ChannelPlace: Timestamp] = [:]

    /// The latest first.
    var places: [ActivityPlace] {
        facts.filter { $0.key.kind == .base }.map { ActivityPlace($0.key.activity, time: $0.value.time) }
            .sorted { $0.precedes($1) }
    }
}
