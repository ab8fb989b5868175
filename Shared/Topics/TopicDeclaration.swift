/// What a topic is, whichever bus carries it.
package final class TopicDeclaration: Sendable {
    package enum Kind: String, Sendable {
        /// Bounded; a message is removed once every group is through with it.
        case work
        /// Kept by age or size; never makes a producer wait.
        case log
    }

    /// Who waits at the bound of a work topic. What drains the house is always admitted, or a full house could never
    /// empty itself.
    package enum Admission: String, Sendable {
        case forward
        case draining
    }

    package enum Cleanup: Equatable, Sendable {
        case age(days: Int)
        /// The last record of each key stays for ever.
        case compaction
    }

    package let name: String
    package let kind: Kind
    package let admission: Admission
    /// Of a forward topic: how full the store may be for its producers.
    package let stage: AdmissionStage
    package let lanes: [Lane]
    package let cleanup: Cleanup
    /// What the key is made of, in words; empty where messages have none.
    package let key: String
    package let producers: [String]
    package let consumers: [String]
    package let partitions: Partitions
    package var channels: [Channel] { lanes.isEmpty ? [channelWithoutLane] : laneChannels }

    /// Kafka scales by partitions, one machine has few cores.
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

/// What the bus knows as a topic: a topic without lanes, or one lane of it.
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
