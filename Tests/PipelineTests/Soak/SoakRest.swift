import Bus
import PushModel
import RedisClient
import RedisStore
import ServiceKit
import Store
import TestSupport
import Topics

/// Waits until nothing is left to do in the pipeline, and says what is.
struct SoakRest {
    private static let patience = Duration.seconds(300)

    /// The groups of the harness's services.
    private static let readers = Topics.all.filter(\.kind.isWork).flatMap { topic in
        topic.consumers.filter(Harness.services.contains).flatMap { group in
            topic.channels.map { BusReader($0, group: group) }
        }
    }

    private let harness: Harness
    private let outcomes: Outcomes

    init(_ harness: Harness, outcomes: Outcomes) {
        self.harness = harness
        self.outcomes = outcomes
    }

    /// Until each task has its report and each device that it counts a result. What is missing is the judge's to say.
    func waitForOutcomes(of tasks: [SoakTask]) async {
        let time = SystemTimeSource()
        let deadline = time.uptime + SoakRest.patience
        for task in tasks {
            guard
                let report = await harness.reports.report(of: task.id, within: max(.zero, deadline - time.uptime))
            else { continue }
            _ = await outcomes.has(report.targeted, of: task.id, within: max(.zero, deadline - time.uptime))
        }
    }

    /// Messages that a group has not handled, and entries of stores that wait: none, unless something stays for ever.
    func leftovers() async throws -> [String] {
        var left: [String] = []
        _ = try await waitUntil(within: SoakRest.patience) {
            left = try await waitingMessages() + waitingEntries()
            return left.isEmpty
        }
        return left
    }

    func deadLetters() async throws -> [String] {
        var letters: [String] = []
        for channel in Topics.dead.declaration.channels {
            letters += try await harness.messages(on: channel).map { message in
                message.headers.map { "\($0.name) \(String(decoding: $0.value, as: UTF8.self))" }
                    .joined(separator: ", ")
            }
        }
        return letters
    }

    private func waitingMessages() async throws -> [String] {
        let progress = try await harness.bus.progress(of: SoakRest.readers)
        return SoakRest.readers.compactMap { reader in
            guard let waiting = progress[reader]?.waiting, waiting > 0 else { return nil }
            return "\(waiting) messages of \(reader.channel.name) for \(reader.group)"
        }
    }

    private func waitingEntries() async throws -> [String] {
        var entries: [String] = []
        try await harness.withRedis { redis in
            let store = StoreConnection(redis)
            let retries = RedisRetryIndex(store)
            for shard in RetryShard.all {
                let depth = try await retries.outlook(of: shard).depth
                if depth > 0 { entries.append("\(depth) entries of the shard \(shard)") }
            }
            let onAgenda = try await RedisTaskAgenda(store).count()
            if onAgenda > 0 { entries.append("\(onAgenda) tasks on the agenda") }
        }
        return entries
    }
}
