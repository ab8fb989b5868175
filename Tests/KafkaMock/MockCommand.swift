/// One parsed line of standard input.
enum MockCommand: Equatable {
    case createTopic(String, partitions: Int32)
    case brokerDown(Int32)
    case brokerUp(Int32)
    case roundTrip(broker: Int32, milliseconds: Int32)
    case leader(topic: String, partition: Int32, broker: Int32)
    case coordinator(group: String, broker: Int32)
    case requestErrors(api: Int16, errors: [String])
    case topicError(topic: String, error: String)
    case quit

    static let usage = """
        create topic NAME PARTITIONS | broker down ID | broker up ID | rtt ID MILLISECONDS | \
        leader TOPIC PARTITION BROKER | coordinator GROUP BROKER | request-errors API ERROR… | \
        topic-error TOPIC ERROR | quit
        """

    /// API keys of the Kafka protocol.
    private static let apis: [String: Int16] = [
        "Produce": 0, "Fetch": 1, "ListOffsets": 2, "Metadata": 3, "OffsetCommit": 8, "OffsetFetch": 9,
        "FindCoordinator": 10, "JoinGroup": 11, "Heartbeat": 12, "LeaveGroup": 13, "SyncGroup": 14,
        "InitProducerId": 22,
    ]

    init?(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        switch (words.first, words.count) {
        case ("create", 4) where words[1] == "topic":
            guard let partitions = Int32(words[3]) else { return nil }
            self = .createTopic(words[2], partitions: partitions)
        case ("broker", 3):
            guard let broker = Int32(words[2]), words[1] == "down" || words[1] == "up" else { return nil }
            self = words[1] == "down" ? .brokerDown(broker) : .brokerUp(broker)
        case ("rtt", 3):
            guard let broker = Int32(words[1]), let milliseconds = Int32(words[2]) else { return nil }
            self = .roundTrip(broker: broker, milliseconds: milliseconds)
        case ("leader", 4):
            guard let partition = Int32(words[2]), let broker = Int32(words[3]) else { return nil }
            self = .leader(topic: words[1], partition: partition, broker: broker)
        case ("coordinator", 3):
            guard let broker = Int32(words[2]) else { return nil }
            self = .coordinator(group: words[1], broker: broker)
        case ("request-errors", 3...):
            guard let api = Self.apis[words[1]] else { return nil }
            self = .requestErrors(api: api, errors: Array(words[2...]))
        case ("topic-error", 3):
            self = .topicError(topic: words[1], error: words[2])
        case ("quit", 1):
            self = .quit
        default:
            return nil
        }
    }
}
