package import Bus
import ServiceKit
import Topics

/// Consumes one topic through librdkafka. A loop on a native thread does the work; tasks use this class.
package final class KafkaConsumer: BusConsumer {
    package let mailbox: Mailbox
    private let signals: ConsumerSignals
    private let options: ConsumerOptions
    private let environment: WorkerEnvironment

    init(
        _ settings: [KafkaSetting], options: ConsumerOptions, storeInterval: Duration, environment: WorkerEnvironment,
        failures: BrokerFailures
    ) throws(BusError) {
        self.options = options
        self.environment = environment
        let mailbox = Mailbox(options)
        let signals = ConsumerSignals()
        self.mailbox = mailbox
        self.signals = signals
        let client = try RDKafkaClient(
            .consumer, settings: settings, callbacks: RDKafkaCallbacks(log: environment.log, failures: failures))
        try RDKafkaConsumer(client, topic: options.channel.name).subscribe()
        NativeThread(name: "kafka-consumer") {
            let loop = KafkaConsumerLoop(
                RDKafkaConsumer(client, topic: options.channel.name), mailbox: mailbox, signals: signals,
                options: options, storeInterval: storeInterval, environment: environment, failures: failures)
            loop.run()
        }.detach()
    }

    deinit {
        signals.closing.happen()
    }

    package var hasJoined: Bool { signals.joined.hasHappened }

    package func stopTaking() {
        signals.stopping.happen()
        mailbox.stop()
    }

    package func close() async {
        stopTaking()
        signals.closing.happen()
        let limit = options.handOverDeadline + ConsumerSignals.closeAllowance
        if await signals.ended.wait(atMost: limit, time: environment.time) { return }
        environment.log.error(
            "Kafka consumer did not stop in time: abandoning it",
            [.topic: options.channel.name, .group: options.group, .duration: DurationText.print(limit)])
    }
}
