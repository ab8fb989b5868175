package import PushModel
import ServiceKit
package import Store

extension MemoryRegistry: TopicStatistics {
    package func figures(of topic: TopicName, in app: AppID) throws(StoreError) -> TopicFigures? {
        try read(app) { state in
            let subscribers = state.subscribers(of: topic)
            guard subscribers > 0 else { return nil }
            return TopicFigures(
                subscribers: subscribers, count: state.counts[topic] ?? TopicCount(created: time.now))
        }
    }

    package func count(
        _ publications: [TopicPublication], from partition: Int32, in app: AppID
    ) throws(StoreError) {
        try write(app) { $0.count(publications, from: partition) }
    }

    /// The change by which a topic without subscribers begins anew.
    static func beginning(
        of topic: TopicName, at now: Timestamp, in state: MemoryRegistryApp, app: AppID
    ) -> [RegistryChange] {
        guard state.subscribers(of: topic) == 0 else { return [] }
        let previous = state.counts[topic]?.created
        let created = previous.map { max(now, $0 + .milliseconds(1)) } ?? now
        let change = TopicCountChange(
            previous: previous, count: TopicCount(created: created, offsets: state.counted))
        return [RegistryChange(app: app, index: RegistryChange.ofApp, .count(topic, change))]
    }
}

extension MemoryRegistryApp {
    func subscribers(of topic: TopicName) -> Int {
        segments.values.reduce(0) { $0 + $1.members(of: topic).members.count }
    }

    /// A topic may have subscribers without a count only if they are from the log.
    private func firstCount(of publication: TopicPublication) -> TopicCount? {
        subscribers(of: publication.topic) > 0 ? TopicCount(created: publication.time) : nil
    }

    mutating func count(_ publications: [TopicPublication], from partition: Int32) {
        for publication in publications where publication.offset >= counted[partition, default: 0] {
            guard var count = counts[publication.topic] ?? firstCount(of: publication) else { continue }
            counted[partition] = publication.offset + 1
            guard publication.offset >= count.offsets[partition, default: 0] else { continue }
            count.publications += 1
            count.last = max(count.last ?? publication.time, publication.time)
            counts[publication.topic] = count
        }
    }
}
