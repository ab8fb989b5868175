package import Bus
package import ServiceKit
package import Topics

/// The bus over Kafka. Makes producers and consumers and checks whether the brokers answer; each of the three uses a
/// librdkafka client of its own.
package final class KafkaBus: Bus {
    private let configuration: KafkaConfiguration
    private let environment: WorkerEnvironment
    private let storeInterval: Duration
    /// Neither produces nor consumes.
    private let observer: RDKafkaClient
    private let failures: BrokerFailures
    private let readinessProbe: KafkaReadiness

    /// `storeInterval` is how often offsets of finished work are stored for the next commit.
    package init(
        _ configuration: KafkaConfiguration, environment: WorkerEnvironment,
        storeInterval: Duration = .milliseconds(200)
    ) throws(BusError) {
        self.configuration = configuration
        self.environment = environment
        self.storeInterval = storeInterval
        failures = BrokerFailures(environment)
        observer = try RDKafkaClient(
            .producer, settings: KafkaSettings.observer(configuration),
            callbacks: RDKafkaCallbacks(log: environment.log, failures: failures))
        readinessProbe = KafkaReadiness(observer, time: environment.time)
    }

    package func makeProducer(_ options: ProducerOptions) async throws(BusError) -> any BusProducer {
        try await producer(options)
    }

    package func makeConsumer(_ options: ConsumerOptions) async throws(BusError) -> any BusConsumer {
        let settings = KafkaSettings.consumer(
            configuration, group: options.group, topic: options.channel.name, silenceMaximum: options.silenceMaximum)
        return try await onNativeThread("kafka-start") { [environment, storeInterval, failures] in
            Result { () throws(BusError) in
                try KafkaConsumer(
                    settings, options: options, storeInterval: storeInterval, environment: environment,
                    failures: failures)
            }
        }.get()
    }

    package func makeLogReader(
        _ channel: Channel, _ options: LogReaderOptions
    ) async throws(BusError) -> any BusLogReader {
        try await onNativeThread("kafka-start") { [configuration, environment, failures] in
            Result { () throws(BusError) in
                try KafkaLogReader(
                    configuration, topic: channel.name, options,
                    callbacks: RDKafkaCallbacks(log: environment.log, failures: failures))
            }
        }.get()
    }

    package func scan(_ channel: Channel, visit: (IncomingMessage) async throws -> Bool) async throws {
        let scan = try KafkaScan(
            configuration, topic: channel.name, failures: failures, log: environment.log, time: environment.time)
        do {
            while case let page = try await scan.nextPage(), !page.isEmpty {
                for message in page {
                    guard try await visit(message) else { return await scan.close() }
                }
            }
        } catch {
            await scan.close()
            throw error
        }
        await scan.close()
    }

    package func progress(of readers: [BusReader]) async throws(BusError) -> [BusReader: GroupProgress] {
        try await onNativeThread("kafka-progress") { [observer] in
            Result { () throws(BusError) in try KafkaGroupProgress(client: observer).read(readers) }
        }.get()
    }

    package func readiness() async -> Health.Readiness {
        await readinessProbe.current()
    }

    /// Producers and consumers are closed by their owners.
    package func close() async {}

    func producer(_ options: ProducerOptions) async throws(BusError) -> KafkaProducer {
        let settings = KafkaSettings.producer(configuration)
        return try await onNativeThread("kafka-start") { [environment, failures] in
            Result { () throws(BusError) in
                try KafkaProducer(settings, options: options, environment: environment, failures: failures)
            }
        }.get()
    }
}
