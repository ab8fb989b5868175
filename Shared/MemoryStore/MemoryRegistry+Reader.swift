package import PushModel
package import Store

extension MemoryRegistry: RegistryReader {
    package func segments(of audience: Audience, in app: AppID) throws(StoreError) -> [SegmentNumber] {
        try read(app) { $0.segments(of: audience) }
    }

    package func select(_ audience: Audience, in segment: SegmentID) throws(StoreError) -> AudienceSelection {
        try read(segment.app) { $0.select(audience, in: segment.number) }
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

    package func size(of audience: Audience, in app: AppID) throws(StoreError) -> Int {
        try read(app) { state in
            state.segments(of: audience).reduce(0) { $0 + state.select(audience, in: $1).members.count }
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

    fileprivate func select(_ audience: Audience, in number: SegmentNumber) -> AudienceSelection {
        let segment = self[number]
        let members = audience.topics.map { ($0, segment.members(of: $0)) }
        return audience.select(live: segment.live, members: Dictionary(uniqueKeysWithValues: members))
    }
}
