import Bus
import PushModel
import ServiceKit
import Store
import Topics

/// Writes orders to the index, whatever the state of everything else: senders must always be able to return what they
/// cannot send. Orders are acknowledged once they are durable there.
struct RetryIntake: MessageHandler {
    /// Maximum devices of one entry, so that a lease of many entries stays small.
    static let devicesMaximum = 256

    let isFast: Bool
    let index: any RetryIndex
    let wakeups: [RetryShard: EntryWakeup]

    func handle(
        _ messages: [ReceivedMessage<RetryOrder>], context: HandlerContext
    ) async throws -> [OutgoingMessage] {
        for (shard, orders) in Dictionary(grouping: messages.map(\.message), by: shard) {
            let entries = orders.flatMap { $0.parts(of: RetryIntake.devicesMaximum) }.map(RetryEntry.init)
            guard let earliest = entries.map(\.due).min() else { continue }
            try await index.add(entries, to: shard)
            wakeups[shard]?.wake(for: earliest)
        }
        return []
    }

    private func shard(of order: RetryOrder) -> RetryShard {
        RetryShard(isFast: isFast, task: order.task, segment: order.segment.number)
    }
}

extension RetryEntry {
    init(_ order: RetryOrder) {
        self.init(due: Timestamp(milliseconds: order.due), order: order.encoded())
    }
}
