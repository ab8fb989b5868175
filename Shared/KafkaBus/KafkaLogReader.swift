import Bus
import ServiceKit
import Topics

/// Reads a topic and follows it, without joining a group. Used by one task at a time. Partitions
/// that are added later are read after a restart.
///
/// `@unchecked Sendable`: only one native thread at a time uses the consumer, the one that the task waits for.
final class KafkaLogReader: BusLogReader, @unchecked Sendable {
    private static let pageBytesMaximum = 1 << 20
    private static let patienceMilliseconds: Int32 = 500
    private static let startLimit = Duration.seconds(10)

    let held: [Int32: Range<Int64>]
    private let consumer: RDKafkaConsumer
    private let topic: String
    private var positions: LogPositions

    /// Blocks the calling native thread.
    init(
        _ configuration: KafkaConfiguration, topic: String, _ options: LogReaderOptions, callbacks: RDKafkaCallbacks
    ) throws(BusError) {
        // A later setting replaces an earlier one.
        let settings =
            KafkaSettings.consumer(configuration, group: "log", topic: topic) + [
                KafkaSetting("enable.auto.commit", "false")
            ]
        let client = try RDKafkaClient(.consumer, settings: settings, callbacks: callbacks)
        consumer = RDKafkaConsumer(client, topic: topic)
        self.topic = topic
        var held: [Int32: Range<Int64>] = [:]
        for partition in try consumer.partitions(within: KafkaLogReader.startLimit) {
            held[partition] = try consumer.held(partition, within: KafkaLogReader.startLimit)
        }
        self.held = held
        positions = LogPositions(held, options, topic: topic)
        consumer.assign(positions.partitions, from: positions.all)
    }

    func next() async throws(BusError) -> [IncomingMessage] {
        try await onNativeThread("kafka-log") { [self] in
            Result { () throws(BusError) in try readPage() }
        }.get()
    }

    func close() async {
        await onNativeThread("kafka-log") { [self] in consumer.close() }
    }

    private func readPage() throws(BusError) -> [IncomingMessage] {
        var page: [IncomingMessage] = []
        var bytes = 0
        while bytes < KafkaLogReader.pageBytesMaximum {
            switch consumer.poll(page.isEmpty ? KafkaLogReader.patienceMilliseconds : 0) {
            case .message(let message):
                page += try positions.pass([message])
                bytes += message.cost
            case .problem(let text):
                // What was read is returned; the library reports a lasting problem again.
                guard page.isEmpty else { return page }
                throw BusError(.unavailable, message: "cannot read \(topic): \(text)")
            case .nothing, .end: return page
            }
        }
        return page
    }
}
