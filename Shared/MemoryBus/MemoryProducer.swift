import Bus
import ServiceKit
import Synchronization
import Topics

final class MemoryProducer: BusProducer {
    private let broker: MemoryBroker
    private let options: ProducerOptions
    private let time: any TimeSource
    private let random: any RandomSource
    private let isClosed = Atomic<Bool>(false)

    init(broker: MemoryBroker, options: ProducerOptions, time: any TimeSource, random: any RandomSource) {
        self.broker = broker
        self.options = options
        self.time = time
        self.random = random
    }

    func send(_ messages: [OutgoingMessage]) async throws(BusError) {
        try messages.checkSizes()
        let deadline = time.uptime + options.patience
        while true {
            guard !isClosed.load(ordering: .acquiring) else { throw BusError(.closed, "the producer is closed") }
            if broker.append(messages, now: time.now, random: random) { return }
            for channel in Set(messages.map(\.channel)) where channel.declaration.admission == .forward {
                guard await hasRoom(in: channel, until: deadline) else {
                    throw BusError(.full, "\(channel.name) is at its bound")
                }
            }
        }
    }

    func close() async {
        isClosed.store(true, ordering: .releasing)
    }

    private func hasRoom(in channel: Channel, until deadline: Duration) async -> Bool {
        let (broker, time) = (broker, time)
        var alarm: Task<Void, Never>?
        let hasRoom = await broker.awaitRoom(in: channel) { id in
            alarm = Task {
                // A cancelled alarm gives up as well: the number means nothing by then.
                try? await time.sleep(for: max(.zero, deadline - time.uptime))
                broker.giveUpWaiting(id)
            }
        }
        alarm?.cancel()
        return hasRoom
    }
}
