import Bus
import ServiceKit
import Synchronization
import Topics

/// The bus as one process sees it.
struct SimulatedBus: Bus {
    /// Small, so that histories reach it: a few messages of one task.
    static let bufferBytesMaximum = 8 << 10

    let base: any Bus
    let seam: Seam

    func makeProducer(_ options: ProducerOptions) async throws(BusError) -> any BusProducer {
        SimulatedProducer(base: try await base.makeProducer(options), seam: seam)
    }

    func makeConsumer(_ options: ConsumerOptions) async throws(BusError) -> any BusConsumer {
        var bounded = options
        if seam.world.bug != .inboxWithoutBound { bounded.bufferBytesMaximum = SimulatedBus.bufferBytesMaximum }
        let consumer = SimulatedConsumer(base: try await base.makeConsumer(bounded), seam: seam)
        seam.world.note(BusReader(options.channel, group: options.group))
        seam.consumers.withLock { $0.append(consumer) }
        return consumer
    }

    func makeLogReader(_ channel: Channel, _ options: LogReaderOptions) async throws(BusError) -> any BusLogReader {
        try await base.makeLogReader(channel, options)
    }

    func scan(_ channel: Channel, visit: (IncomingMessage) async throws -> Bool) async throws {
        try await base.scan(channel, visit: visit)
    }

    func progress(of readers: [BusReader]) async throws(BusError) -> [BusReader: GroupProgress] {
        try await base.progress(of: readers)
    }

    func readiness() async -> Health.Readiness { await base.readiness() }

    func close() async {}
}
