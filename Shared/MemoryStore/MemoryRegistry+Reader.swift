package import PushModel
package import Store

extension MemoryRegistry: RegistryReader {
    package func segments(of audience: Audience, in app: AppID) throws(StoreError) -> [SegmentNumber] {
        try read(app) { $0.segments(of: audience) }
    }

    package func members(
        of topics: [TopicName], in segments: [SegmentNumber], of app: AppID
    ) throws(StoreError) -> [SegmentMembers] {
        try read(app) { state in segments.map { state.members(of: topics, in: $0) } }
    }

    package func devices(at offsets: SegmentSet, in segment: SegmentID) throws(StoreError) -> PackedDevices {
        try read(segment.app) { state in
            let devices = state[segment.number].devices
            var packed = PackedDevices()
            for offset in offsets.offsets {
                guard let device = devices[offset] else { continue }
                packed.append(offset: offset, record: device.packed)
            }
            return packed
        }
    }
}

extension MemoryRegistryApp {
    fileprivate func segments(of audience: Audience) -> [SegmentNumber] {
        let all = (0..<segmentCount).map { SegmentNumber(rawValue: $0) }
        guard let topics = audience.necessaryTopics else { return all }
        return all.filter { number in
            let subscriptions = self[number].subscriptions
            return subscriptions.values.contains { subscribed in topics.contains { subscribed[$0] != nil } }
        }
    }

    fileprivate func members(of topics: [TopicName], in number: SegmentNumber) -> SegmentMembers {
        let segment = self[number]
        let members = topics.map { ($0, segment.members(of: $0)) }
        return SegmentMembers(live: segment.live, topics: Dictionary(members) { first, _ in first })
    }
}
