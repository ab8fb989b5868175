import PushModel
import TaskModel
import Topics

extension PushTask {
    /// The names under which listeners are shown the task; empty if it is not for listeners.
    ///
    /// A listener is no device, and has only the right to read a topic. So a task is shown for a topic only if it is
    /// for all of the topic's subscribers, and for no one who was named: every filter, `not`, list or choice of
    /// platforms makes it a task for some of them. A task for each device's local time would be shown a day too early.
    var listenedTopics: [TopicName] {
        guard !isWithdrawn, target.list.entryCount == 0, rules.localTime == nil, let audience = target.audience,
            content.platforms.isSuperset(of: Platform.supported)
        else { return [] }
        let topics = audience.includedTopics.filter { audience.selectsAll(of: $0) }
        guard audience.selectsAll(of: nil), let everyone = try? TopicName(ListenerEvent.everyoneName) else {
            return topics
        }
        return topics.filter { $0 != everyone } + [everyone]
    }
}
