import Bus
import ServiceKit
import Topics

/// Wraps a bus and refuses all messages for one channel.
struct RefusingBus: Bus {
    let bus: any Bus
    let channel: Channel

    func makeProducer(_ options: ProducerOptions) async throws(BusError) -> any BusProducer {
        RefusingProducer(producer: try await bus.makeProducer(options), channel: channel)
    }

    func makeConsumer(_ options: ConsumerOptions) async throws(BusError) -> any BusConsumer {
        try await bus.makeConsumer(options)
    }

    func scan(_ channel: Channel, visit: (IncomingMessage) async throws -> Bool) async throws {
        try await bus.scan(channel, visit: visit)
    }

    func readiness() async -> Health.Readiness {
        await bus.readiness()
    }

    func close() async {
        await bus.close()
    }
}

private struct RefusingProducer: BusProducer {
    let producer: any BusProducer
    let channel: Channel

    func send(_ messages: [OutgoingMessage]) async throws(BusError) -> [MessagePosition] {
        guard !messages.contains(where: { $0.channel == channel }) else {
            throw BusError(.full, message: "at its bound")
        }
        return try await producer.send(messages)
    }

    func close() async {
        await producer.close()
    }
}
