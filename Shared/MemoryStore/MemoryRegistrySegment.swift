import PushModel

/// The data of one segment's devices.
struct MemoryRegistrySegment {
    var devices: [UInt16: Device] = [:]
    /// May precede their device: a compacted log moves records.
    var subscriptions: [UInt16: [TopicName: SubscriptionOptions]] = [:]
    var badges: [UInt16: UInt32] = [:]
    var failures: [UInt16: MemoryFailures] = [:]
    /// The offset after the last applied change of the log.
    var applied: Int64 = 0

    var live: SegmentSet { SegmentSet(devices.keys) }

    mutating func purge(_ topic: TopicName) {
        for offset in subscriptions.keys { subscriptions[offset]?[topic] = nil }
    }

    func members(of topic: TopicName) -> TopicMembers {
        var found = TopicMembers(members: SegmentSet(), ignoring: SegmentSet())
        for (offset, topics) in subscriptions {
            guard let options = topics[topic] else { continue }
            found.members.insert(offset)
            if options.contains(.ignoreMessage) { found.ignoring.insert(offset) }
        }
        return found
    }
}
