import Bus
import CRDKafka
import ServiceKit
import Topics

/// Reads a topic from its beginning to its present end, without joining a group. Used by one task at a time.
///
/// `@unchecked Sendable`: only one native thread at a time uses the consumer, the one that the task waits for.
final class KafkaScan: @unchecked Sendable {
    private static let pageBytesMaximum = 1 << 20
    /// After this long without a message or an end of partition, the brokers count as unavailable.
    private static let patience = Duration.seconds(15)

    private let client: RDKafkaClient
    private let consumer: RDKafkaConsumer
    private let topic: String
    private let time: any TimeSource
    private var open: Set<Int32> = []
    private var hasStarted = false

    init(
        _ configuration: KafkaConfiguration, topic: String, failures: BrokerFailures, log: Log, time: any TimeSource
    ) throws(BusError) {
        // A later setting replaces an earlier one.
        let settings =
            KafkaSettings.consumer(configuration, group: "scan", topic: topic) + [
                KafkaSetting("enable.partition.eof", "true"), KafkaSetting("enable.auto.commit", "false"),
            ]
        client = try RDKafkaClient(
            .consumer, settings: settings, callbacks: RDKafkaCallbacks(log: log, failures: failures))
        consumer = RDKafkaConsumer(client, topic: topic)
        self.topic = topic
        self.time = time
    }

    /// The next messages, about a megabyte; empty at the end.
    func nextPage() async throws(BusError) -> [IncomingMessage] {
        try await onNativeThread("kafka-scan") { [self] in
            Result { () throws(BusError) in try readPage() }
        }.get()
    }

    func close() async {
        await onNativeThread("kafka-scan") { [self] in consumer.close() }
    }

    private func readPage() throws(BusError) -> [IncomingMessage] {
        if !hasStarted {
            open = Set(try consumer.partitions(within: .seconds(10)))
            var beginnings: [Int32: Int64] = [:]
            for partition in open { beginnings[partition] = Int64(RD_KAFKA_OFFSET_BEGINNING) }
            consumer.assign(Array(open), from: beginnings)
            hasStarted = true
        }
        var page: [IncomingMessage] = []
        var bytes = 0
        var silentSince = time.uptime
        while !open.isEmpty, bytes < Self.pageBytesMaximum {
            switch consumer.poll(100) {
            case .message(let message):
                page.append(message)
                bytes += message.cost
            case .end(let partition): open.remove(partition)
            case .problem(let text):
                throw BusError(.unavailable, message: "cannot read \(topic): \(text)")
            case .nothing:
                guard time.uptime - silentSince < Self.patience else {
                    throw BusError(.unavailable, message: "cannot read \(topic): no answer from the brokers")
                }
                continue
            }
            silentSince = time.uptime
        }
        return page
    }
}
