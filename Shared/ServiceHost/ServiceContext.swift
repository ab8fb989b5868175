package import Bus
import ServiceKit
import Topics

/// What a service is built from. Everything that waits for the outside waits here, with a line in the log and a reason in
/// `/readyz`, and gives up when the service is told to stop.
package struct ServiceContext: Sendable {
    package let bus: any Bus
    package let environment: WorkerEnvironment
    package let workerOptions: WorkerOptions
    let stopRequested: OneTimeEvent
    private let backoff = Backoff(first: .milliseconds(100), longest: .seconds(5))

    init(bus: any Bus, environment: WorkerEnvironment, workerOptions: WorkerOptions, stopRequested: OneTimeEvent) {
        self.bus = bus
        self.environment = environment
        self.workerOptions = workerOptions
        self.stopRequested = stopRequested
    }

    /// A worker over one topic or lane, as soon as the bus is there.
    package func worker<Handler: MessageHandler>(
        _ options: ConsumerOptions, _ handler: Handler
    ) async throws -> Worker<Handler> {
        let bus = bus
        let consumer = try await untilReachable { try await bus.makeConsumer(options) }
        let producer = try await untilReachable { try await bus.makeProducer(ProducerOptions()) }
        environment.health.addReadinessCheck("\(options.group) on \(options.channel.name)") {
            consumer.assignedPartitions > 0 ? .ready : .notReady("no partitions assigned")
        }
        return Worker(
            channel: options.channel, group: options.group, handler: handler, options: workerOptions,
            consumer: consumer, producer: producer, environment: environment)
    }

    package func untilReachable<Value: Sendable>(
        _ make: @Sendable () async throws -> Value
    ) async throws -> Value {
        var attempt = 0
        while true {
            do {
                return try await make()
            } catch let error as any RetriableError where error.isRetriable {
                attempt += 1
                environment.log.warning("waiting for the bus", [.error: "\(error)", .attempt: "\(attempt)"])
                try await environment.time.sleep(
                    for: backoff.delay(afterAttempt: attempt, random: environment.random))
            }
        }
    }
}
