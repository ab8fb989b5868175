import Bus
import Topics

/// Number of messages and bytes by topic or lane, in runs in send order: nearly always one run.
struct ProducedTally: Equatable {
    struct Run: Equatable {
        let channel: String
        var messages: Int
        var bytes: Int
    }

    private(set) var runs: [Run] = []

    init() {}

    init(_ messages: [OutgoingMessage]) {
        for message in messages {
            add(Run(channel: message.channel.name, messages: 1, bytes: message.value.count))
        }
    }

    mutating func add(_ other: ProducedTally) {
        for run in other.runs { add(run) }
    }

    private mutating func add(_ run: Run) {
        guard let last = runs.indices.last, runs[last].channel == run.channel else { return runs.append(run) }
        runs[last].messages += run.messages
        runs[last].bytes += run.bytes
    }
}
