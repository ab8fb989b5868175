import PushModel
import Synchronization

/// Topics that this process has begun, so that it does so once and not for each subscriber. Cleared when it is full.
final class BegunTopics: Sendable {
    private static let topicsMaximum = 100_000
    private let topics = Mutex<Set<TopicName>>([])

    func missing(among names: Set<TopicName>) -> [TopicName] {
        topics.withLock { names.subtracting($0) }.sorted()
    }

    func note(_ names: [TopicName]) {
        topics.withLock { topics in
            if topics.count + names.count > BegunTopics.topicsMaximum { topics.removeAll() }
            topics.formUnion(names)
        }
    }
}
