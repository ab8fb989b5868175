package import PushModel
package import ServiceKit

/// Publications to the topics of an app. The count of a topic begins anew with its first subscriber.
package protocol TopicStatistics: Sendable {
    /// Nil if no device is subscribed.
    func figures(of topic: TopicName, in app: AppID) async throws(StoreError) -> TopicFigures?
    /// Counts publications of one partition of `tasks`, which ascend by offset. Those below the offset to which the
    /// app's publications of the partition are counted are skipped, so that repeats have no effect. A topic that never
    /// had a subscriber is not counted.
    func count(
        _ publications: [TopicPublication], from partition: Int32, in app: AppID
    ) async throws(StoreError)
}

/// A task for exactly the subscribers of one topic.
package struct TopicPublication: Hashable, Sendable {
    package let offset: Int64
    package let topic: TopicName
    package let time: Timestamp

    package init(offset: Int64, topic: TopicName, time: Timestamp) {
        self.offset = offset
        self.topic = topic
        self.time = time
    }
}

package struct TopicFigures: Hashable, Sendable {
    package let subscribers: Int
    package let count: TopicCount

    package init(subscribers: Int, count: TopicCount) {
        self.subscribers = subscribers
        self.count = count
    }
}

/// What is counted of a topic from its first subscriber on.
package struct TopicCount: Hashable, Sendable {
    /// When the topic got its first subscriber.
    package let created: Timestamp
    package var publications: Int64
    /// The time of the last publication; nil before the first.
    package var last: Timestamp?
    /// By partition of `tasks`: publications below were counted, or precede the first subscriber.
    package var offsets: [Int32: Int64]

    package init(created: Timestamp, publications: Int64 = 0, last: Timestamp? = nil, offsets: [Int32: Int64] = [:]) {
        self.created = created
        self.publications = publications
        self.last = last
        self.offsets = offsets
    }
}

/// The text form, in Redis and in the log: times in milliseconds and the number of publications, then
/// `partition:offset` for each partition, separated by spaces.
extension TopicCount {
    package var text: String {
        let numbers = ["\(created.milliseconds)", "\(publications)", "\(last?.milliseconds ?? 0)"]
        let offsets = offsets.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }
        return (numbers + offsets).joined(separator: " ")
    }

    /// Nil for another text.
    package init?(text: some StringProtocol) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        let numbers = parts.prefix(3).compactMap { Int64($0) }
        guard numbers.count == 3, numbers.allSatisfy({ $0 >= 0 }) else { return nil }
        var offsets: [Int32: Int64] = [:]
        for part in parts.dropFirst(3) {
            let pair = part.split(separator: ":", omittingEmptySubsequences: false)
            guard pair.count == 2, let partition = Int32(pair[0]), let offset = Int64(pair[1]), offset >= 0 else {
                return nil
            }
            offsets[partition] = offset
        }
        self.init(
            created: Timestamp(milliseconds: numbers[0]), publications: numbers[1],
            last: numbers[2] == 0 ? nil : Timestamp(milliseconds: numbers[2]), offsets: offsets)
    }
}

/// A count that takes effect only in place of what its writer saw: of two processes that begin the same topic, one
/// does.
package struct TopicCountChange: Hashable, Sendable {
    /// When the replaced count was created; nil if there was none.
    package let previous: Timestamp?
    package let count: TopicCount

    package init(previous: Timestamp?, count: TopicCount) {
        self.previous = previous
        self.count = count
    }

    /// True if it replaces the present count: as the next one, or as a later state of the same one.
    package func replaces(_ present: TopicCount?) -> Bool {
        guard let present else { return true }
        if count.created == present.created { return count.publications > present.publications }
        return previous == present.created && count.created > present.created
    }
}
