package import PushModel

/// The data of one segment from which audiences without filters are evaluated.
package struct SegmentMembers: Hashable, Sendable {
    package let live: SegmentSet
    package let topics: [TopicName: TopicMembers]

    package init(live: SegmentSet = SegmentSet(), topics: [TopicName: TopicMembers] = [:]) {
        self.live = live
        self.topics = topics
    }
}
