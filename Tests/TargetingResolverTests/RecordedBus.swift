import Bus
import PushModel
import ServiceKit
import Topics

/// The sent messages in order, and which of them are handled. Each process has its own producer.
final class RecordedBus: Sendable {
    struct Entry: Sendable {
        let number: Int
        let message: OutgoingMessage
    }

    private struct State {
        var sent: [OutgoingMessage] = []
        var handled: Set<Int> = []
        var refusals = 0
    }

    private let state = Monitor(State())

    func append(_ messages: [OutgoingMessage]) {
        state.change { $0.sent += messages }
    }

    func producer(_ lifeline: Lifeline) -> any BusProducer { Producer(bus: self, lifeline: lifeline) }

    /// Returns the oldest unhandled message on these channels.
    func next(_ channels: [Channel]) -> Entry? {
        state.withLock { state in
            let found = state.sent.indices.first { number in
                channels.contains(state.sent[number].channel) && !state.handled.contains(number)
            }
            return found.map { Entry(number: $0, message: state.sent[$0]) }
        }
    }

    func acknowledge(_ entry: Entry) {
        state.change { _ = $0.handled.insert(entry.number) }
    }

    func messages(_ channel: Channel) -> [OutgoingMessage] {
        state.withLock { $0.sent.filter { $0.channel == channel } }
    }

    /// The messages that are not handled.
    func waiting(_ channel: Channel) -> [OutgoingMessage] {
        state.withLock { state in
            state.sent.indices.filter { state.sent[$0].channel == channel && !state.handled.contains($0) }
                .map { state.sent[$0] }
        }
    }

    /// Refuses the next `count` sends of chunks as full.
    func refuse(_ count: Int) {
        state.change { $0.refusals = count }
    }

    fileprivate func hasRoom(for messages: [OutgoingMessage]) -> Bool {
        state.change { state in
            guard state.refusals > 0, messages.contains(where: { $0.channel.name.hasPrefix("audience") }) else {
                return true
            }
            state.refusals -= 1
            return false
        }
    }
}

private struct Producer: BusProducer {
    let bus: RecordedBus
    let lifeline: Lifeline

    /// Dies before the messages are durable, or after it, without an acknowledgement to the sender.
    func send(_ messages: [OutgoingMessage]) async throws(BusError) -> [MessagePosition] {
        guard bus.hasRoom(for: messages) else { throw BusError(.full, message: "there is no room") }
        guard lifeline.step() else { throw BusError(.unavailable, message: "cut off before it was sent") }
        bus.append(messages)
        guard lifeline.step() else { throw BusError(.unavailable, message: "cut off after it was sent") }
        return messages.map { _ in MessagePosition(partition: 0, offset: nil) }
    }

    func close() async {}
}
