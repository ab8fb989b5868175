package import Bus
package import ServiceKit

/// What a service is built from. Everything that waits for the outside waits here, with a line in the log and a reason in
/// `/readyz`, and gives up when the service is told to stop.
package struct ServiceContext: Sendable {
    package let bus: any Bus
    package let environment: WorkerEnvironment
    package let workerOptions: WorkerOptions
    private let backoff = Backoff(first: .milliseconds(100), longest: .seconds(5))

    init(bus: any Bus, environment: WorkerEnvironment, workerOptions: WorkerOptions) {
        self.bus = bus
        self.environment = environment
        self.workerOptions = workerOptions
    }

    /// A worker over one topic or lane. It joins its group when it is run, so that no partition waits for a service that is
    /// still being built.
    package func worker<Handler: MessageHandler>(_ options: ConsumerOptions, _ handler: Handler) -> any Service {
        LateWorker(options, handler, context: self)
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
