import Bus
import ServiceKit
import Synchronization
import Topics

final class MemoryProducer: BusProducer {
    private let broker: MemoryBroker
    private let options: ProducerOptions
    private let time: any TimeSource
    private let random: any RandomSource
    private let state = Mutex(State())
    private let ended = OneTimeEvent()

    private struct State {
        var sending = 0
        var isClosed = false
        var isOver: Bool { isClosed && sending == 0 }
    }

    init(broker: MemoryBroker, options: ProducerOptions, time: any TimeSource, random: any RandomSource) {
        self.broker = broker
        self.options = options
        self.time = time
        self.random = random
    }

    func send(_ messages: [OutgoingMessage]) async throws(BusError) -> [MessagePosition] {
        try messages.checkSizes()
        try enter()
        defer { leave() }
        let deadline = time.uptime + options.patience
        while true {
            if let positions = broker.append(messages, now: time.now, random: random) { return positions }
            for channel in Set(messages.map(\.channel)) where channel.declaration.admission == .forward {
                guard await hasRoom(in: channel, until: deadline) else {
                    throw BusError(.full, message: "\(channel.name) is at its bound")
                }
            }
        }
    }

    /// Every send in progress ends within its patience.
    func close() async {
        let isOver = state.withLock { state in
            state.isClosed = true
            return state.isOver
        }
        if isOver { ended.happen() }
        await ended.wait()
    }

    private func enter() throws(BusError) {
        try state.withLock { state throws(BusError) in
            guard !state.isClosed else { throw BusError(.closed, message: "the producer is closed") }
            state.sending += 1
        }
    }

    private func leave() {
        let isOver = state.withLock { state in
            state.sending -= 1
            return state.isOver
        }
        if isOver { ended.happen() }
    }

    private func hasRoom(in channel: Channel, until deadline: Duration) async -> Bool {
        let (broker, time) = (broker, time)
        var alarm: Task<Void, Never>?
        let hasRoom = await broker.awaitRoom(in: channel) { id in
            alarm = Task {
                // A cancelled alarm also ends the wait, which has no effect: its number is no longer in use.
                try? await time.sleep(for: max(.zero, deadline - time.uptime))
                broker.giveUpWaiting(id)
            }
        }
        alarm?.cancel()
        return hasRoom
    }
}
