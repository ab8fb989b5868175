package import Bus
import CRDKafka
import ServiceKit
import Topics

/// Takes messages of one topic from librdkafka. The work is done by a loop on a native thread; this is what tasks hold.
package final class KafkaConsumer: BusConsumer {
    private let mailbox: Mailbox
    private let signals: ConsumerSignals
    private let options: ConsumerOptions
    private let environment: WorkerEnvironment

    init(
        _ settings: [KafkaSetting], options: ConsumerOptions, storeInterval: Duration, environment: WorkerEnvironment
    ) throws(BusError) {
        self.options = options
        self.environment = environment
        let mailbox = Mailbox(options)
        let signals = ConsumerSignals()
        self.mailbox = mailbox
        self.signals = signals
        let lag = environment.metrics.gauge(
            .busConsumerLag, ["topic": options.channel.name, "group": options.group])
        let callbacks = RDKafkaCallbacks(log: environment.log) { lag.set(KafkaStatistics.consumerLag(in: $0)) }
        let client = try RDKafkaClient(RD_KAFKA_CONSUMER, settings, callbacks)
        try RDKafkaConsumer(client, topic: options.channel.name).subscribe()
        NativeThread(name: "kafka-consumer") {
            let loop = KafkaConsumerLoop(
                RDKafkaConsumer(client, topic: options.channel.name), mailbox: mailbox, signals: signals,
                options: options, storeInterval: storeInterval, environment: environment)
            loop.run()
        }.detach()
    }

    deinit {
        signals.closing.open()
    }

    package func next() async throws(BusError) -> Delivery? {
        await mailbox.next()
    }

    package func complete(_ delivery: Delivery) {
        mailbox.complete(delivery)
    }

    package func isCurrent(_ delivery: Delivery) -> Bool {
        mailbox.isCurrent(delivery)
    }

    package var assignedPartitions: Int {
        mailbox.read { $0.assigned.count }
    }

    package var bufferedBytes: Int {
        mailbox.read { $0.bufferedBytes }
    }

    package func stopTaking() {
        signals.stopping.open()
        mailbox.stop()
    }

    package func close() async {
        stopTaking()
        signals.closing.open()
        let limit = options.handOverDeadline + ConsumerSignals.closeAllowance
        guard await signals.ended.wait(atMost: limit, time: environment.time) else {
            environment.log.error(
                "a Kafka consumer did not end in time and is left behind",
                [.topic: options.channel.name, .group: options.group, .duration: DurationText.print(limit)])
            return
        }
    }
}

/// What the tasks and the loop of one consumer tell each other.
final class ConsumerSignals: Sendable {
    /// For the commit, for leaving the group and for the end of the library's threads, beyond the work in flight.
    static let closeAllowance = Duration.seconds(15)

    let stopping = Latch()
    let closing = Latch()
    let ended = Latch()
}
