import HistoryJudge
import PushModel
import ServiceKit

/// What pushd's routes answered to the app on a device, which calls them one after another.
struct SubscriberRecord: Sendable {
    private struct Change {
        let asked: Duration
        /// Nil as long as it may happen at any time.
        var answered: Duration?
        let isSubscribed: Bool
    }

    /// After the last call; nil for a device that left.
    private(set) var state: JudgedSubscriber.State?
    /// With which registrations were answered since the device last left.
    private(set) var ids: Set<DeviceID>
    private(set) var isAnswered = true
    private let wasSubscribed: Bool
    private var changes: [Change] = []

    /// Of a device that is registered from the beginning on.
    init(_ id: DeviceID, isSubscribed: Bool) {
        state = JudgedSubscriber.State(subscriptions: isSubscribed ? [Population.topicName: false] : [:])
        ids = [id]
        wasSubscribed = isSubscribed
    }

    mutating func ask(_ step: SubscriberPlan.Step, at time: Duration) {
        state = step.applied(to: state)
        isAnswered = false
        let isSubscribed = state?.subscriptions[Population.topicName] != nil
        changes.append(Change(asked: time, answered: nil, isSubscribed: isSubscribed))
    }

    /// `id` is that of a registration.
    mutating func answer(id: DeviceID?, at time: Duration) {
        changes[changes.count - 1].answered = time
        isAnswered = true
        if state == nil { ids = [] }
        if let id { ids.insert(id) }
    }

    /// Whether tasks to the topic may have found it subscribed in this time, or not.
    func subscriptions(from begin: Duration, to end: Duration) -> Set<Bool> {
        changes.prefix { $0.asked < end }.reduce(into: [wasSubscribed]) { found, change in
            if let answered = change.answered, answered <= begin { found = [] }
            found.insert(change.isSubscribed)
        }
    }
}
