/// The properties of a topic, independent of the bus.
package final class TopicDeclaration: Sendable {
    package enum Kind: String, Sendable {
        /// Bounded; a message is removed once every group has handled it.
        case work
        /// Work that analysts read too: handled messages are retained as those of a log, and others are never removed.
        case keptWork = "kept work"
        /// Retained by age or size; never makes a producer wait.
        case log

        package var isWork: Bool { self != .log }
    }

    /// Admission at the bound of a work topic. Consumers' output is always admitted, or a full pipeline could never be
    /// drained.
    package enum Admission: String, Sendable {
        case forward
        case draining
    }

    package enum Cleanup: Equatable, Sendable {
        case age(days: Int)
        /// For readers that are connected now: by a short age, which the operator may set, and by size.
        case brief
        /// The last record of each key is kept permanently.
        case compaction
    }

    /// Unless the operator sets another.
    package static let briefAge = Duration.seconds(3_600)
    /// Of a topic that is kept briefly, on Kafka; on the embedded bus all logs have one bound.
    package static let briefBytesMaximum = 256 << 20

    package let name: String
    package let kind: Kind
    package let admission: Admission
    /// For a forward topic: how full the store may be for its producers.
    package let stage: AdmissionStage
    package let lanes: [Lane]
    package let cleanup: Cleanup
    /// Describes the key; empty if messages have none.
    package let key: String
    package let producers: [String]
    package let consumers: [String]
    package let partitions: Partitions
    package var channels: [Channel] { lanes.isEmpty ? [channelWithoutLane] : laneChannels }

    /// Kafka scales by partitions; a single machine has few cores.
    package struct Partitions: Equatable, Sendable {
        package let kafka: Int
        package let embedded: Int

        package init(kafka: Int, embedded: Int) {
            self.kafka = kafka
            self.embedded = embedded
        }
    }

    package init(
        _ name: String, kind: Kind, admission: Admission, stage: AdmissionStage = .accepting,
        lanes: [Lane] = [], cleanup: Cleanup = .age(days: 7),
        partitions: Partitions, key: String, from producers: [String], to consumers: [String]
    ) {
        self.name = name
        self.kind = kind
        self.admission = admission
        self.stage = stage
        self.lanes = lanes
        self.cleanup = cleanup
        self.key = key
        self.producers = producers
        self.consumers = consumers
        self.partitions = partitions
    }

    private var channelWithoutLane: Channel { Channel(name: name, lane: nil, declaration: self) }
    private var laneChannels: [Channel] {
        lanes.map { Channel(name: "\(name).\($0.rawValue)", lane: $0, declaration: self) }
    }
}

/// A topic of the bus: a topic without lanes, or one lane of a topic.
package struct Channel: Sendable, Hashable {
    package let name: String
    /// Nil for a topic without lanes.
    package let lane: Lane?
    package let declaration: TopicDeclaration

    fileprivate init(name: String, lane: Lane?, declaration: TopicDeclaration) {
        self.name = name
        self.lane = lane
        self.declaration = declaration
    }

    package static func == (left: Channel, right: Channel) -> Bool {
        left.name == right.name
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(name)
    }
}
