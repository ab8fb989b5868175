import Bus

/// Fetched messages, cut into runs of one partition, so that the inbox is locked only once for all of them.
struct FetchedGroup {
    struct Run {
        let partition: PartitionID
        var messages: [IncomingMessage]
    }

    private(set) var count = 0
    private(set) var bytes = 0
    private var runs: [Run] = []

    mutating func append(_ message: IncomingMessage) {
        count += 1
        bytes += message.cost
        if let last = runs.indices.last, runs[last].partition.number == message.partition.number {
            runs[last].messages.append(message)
        } else {
            runs.append(Run(partition: message.partition, messages: [message]))
        }
    }

    mutating func takeRuns() -> [Run] {
        defer { self = FetchedGroup() }
        return runs
    }
}
