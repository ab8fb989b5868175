package import Bus
package import ServiceKit
package import Topics

/// A bus within one process, with the same contract as the others: for simulations of a whole pipeline and for tests
/// without a broker. Nothing survives the process.
package final class MemoryBus: Bus {
    private let broker: MemoryBroker
    private let time: any TimeSource
    private let random: any RandomSource

    /// With `keepsWork`, handled work stays up to the bound, as with Kafka, where its retention is days.
    package init(
        bytesMaximum: Int = 64 << 20, keepsWork: Bool = false, time: any TimeSource, random: any RandomSource
    ) {
        broker = MemoryBroker(bytesMaximum: bytesMaximum, keepsWork: keepsWork)
        self.time = time
        self.random = random
    }

    package func makeProducer(_ options: ProducerOptions) async throws(BusError) -> any BusProducer {
        MemoryProducer(broker: broker, options: options, time: time, random: random)
    }

    package func makeConsumer(_ options: ConsumerOptions) async throws(BusError) -> any BusConsumer {
        let consumer = MemoryConsumer(broker: broker, options: options)
        broker.join(consumer.member, channel: options.channel, group: options.group)
        return consumer
    }

    package func makeLogReader(
        _ channel: Channel, _ options: LogReaderOptions
    ) async throws(BusError) -> any BusLogReader {
        MemoryLogReader(broker: broker, channel: channel, options, time: time)
    }

    package func scan(_ channel: Channel, visit: (IncomingMessage) async throws -> Bool) async throws {
        for message in broker.snapshot(of: channel) {
            guard try await visit(message) else { return }
        }
    }

    package func progress(of readers: [BusReader]) async throws(BusError) -> [BusReader: GroupProgress] {
        broker.progress(of: readers)
    }

    /// As if a topic or lane were kept for a shorter time than its consumers are behind: so many messages of each
    /// partition that some group has not handled are gone, the oldest first. Consumers may hold some of them.
    package func removeUnhandled(_ count: Int, of channel: Channel) -> [IncomingMessage] {
        broker.removeUnhandled(count, of: channel)
    }

    /// The messages that were removed before the group read them, as it noticed at the next one.
    package func missing(by reader: BusReader) -> Int {
        broker.missing(by: reader)
    }

    package func readiness() async -> Health.Readiness {
        .ready
    }

    package func close() async {}
}
