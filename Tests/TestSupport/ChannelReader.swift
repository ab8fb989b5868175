package import Bus
import ServiceKit
package import Topics

/// Reads a channel as a service does, in its own consumer group.
package struct ChannelReader: Sendable {
    private let consumer: any BusConsumer

    package init(_ bus: any Bus, channel: Channel) async throws {
        consumer = try await bus.makeConsumer(ConsumerOptions(channel: channel, group: "test"))
    }

    /// Reads until the condition holds; false when the limit passes first. Deliveries are read whole.
    package func read(
        within limit: Duration, until isEnough: () -> Bool, _ take: (IncomingMessage) throws -> Void
    ) async throws -> Bool {
        let timer = Task { [consumer] in
            try await SystemTimeSource().sleep(for: limit)
            consumer.stopTaking()
        }
        defer { timer.cancel() }
        while !isEnough(), let delivery = await consumer.next() {
            for message in delivery.messages { try take(message) }
            consumer.complete(delivery)
        }
        return isEnough()
    }

    package func close() async {
        consumer.stopTaking()
        await consumer.close()
    }
}
