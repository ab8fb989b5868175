import Bus
import ServiceKit
import TestSupport
import Topics

/// A consumer that delivers what a test offers, by the rules that all drivers share, and records the completed work.
final class ScriptedConsumer: BusConsumer {
    private struct State {
        var completed: [Delivery] = []
        var isClosed = false
    }

    let channel: Channel
    let mailbox: Mailbox
    private let state = Monitor(State())

    init(_ options: ConsumerOptions) {
        channel = options.channel
        mailbox = Mailbox(options)
    }

    /// Offers the values as messages of one partition, from offset 0.
    func offer(_ values: [[UInt8]], to number: Int32 = 0) {
        let id = partition(number)
        mailbox.change { inbox in
            inbox.assign(id)
            _ = inbox.offer(
                values.enumerated().map {
                    IncomingMessage(
                        partition: id, offset: Int64($0), key: nil, value: $1, headers: [],
                        timestamp: Timestamp(milliseconds: 0))
                }, to: id)
        }
    }

    func takeAway(_ number: Int32 = 0) {
        mailbox.change { $0.remove(partition(number)) }
    }

    /// Values of the messages completed so far, in order.
    var completed: [String] {
        state.withLock { $0.completed.flatMap(\.messages).map { String(decoding: $0.value, as: UTF8.self) } }
    }

    func hasCompleted(_ count: Int) async -> Bool {
        await blocking { [state] in
            state.wait(timeout: .hangLimit) { state in
                state.completed.reduce(0) { $0 + $1.messages.count } >= count ? true : nil
            } ?? false
        }
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    private func partition(_ number: Int32) -> PartitionID { PartitionID(channel: channel.name, number: number) }

    func complete(_ delivery: Delivery) {
        mailbox.complete(delivery)
        state.change { $0.completed.append(delivery) }
    }

    func close() async {
        mailbox.stop()
        state.change { $0.isClosed = true }
    }
}
