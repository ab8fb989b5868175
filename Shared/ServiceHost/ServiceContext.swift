package import Bus
package import RedisClient
package import ServiceKit
import Topics

/// The dependencies a service is built from. All waiting for external systems happens here, with a log line and a
/// reason in `/readyz`, and ends when the service is stopped.
package struct ServiceContext: Sendable {
    package let bus: any Bus
    package let environment: WorkerEnvironment
    package let workerOptions: WorkerOptions
    /// The Redis that holds the registry, the ledger and the schedules.
    package let redis: RedisConfiguration
    /// True if the source of truth about devices is a log on the bus (Kafka) and Redis only its projection.
    package let hasLoggedRegistry: Bool
    /// The share of Redis' `maxmemory` at which new tasks are refused.
    package let memoryPercent: Int
    /// Shared by all workers of the process.
    let gate = HandlingGate()
    private let backoff = Backoff(first: .milliseconds(100), longest: .seconds(5))

    init(
        bus: any Bus, environment: WorkerEnvironment, workerOptions: WorkerOptions, redis: RedisConfiguration,
        hasLoggedRegistry: Bool, memoryPercent: Int
    ) {
        self.bus = bus
        self.environment = environment
        self.workerOptions = workerOptions
        self.redis = redis
        self.hasLoggedRegistry = hasLoggedRegistry
        self.memoryPercent = memoryPercent
    }

    /// A worker over one topic or lane. It joins its group when it is run, so that no partition waits for a service
    /// that is still being built. Without its own concurrency it uses the one configured for all workers.
    ///
    /// Workers for single pushes have priority, as the fast lane always has: they resume before the hundreds of tasks
    /// of a broadcast that wait for a thread.
    package func worker<Handler: MessageHandler>(
        _ options: ConsumerOptions, concurrency: Int? = nil, carriesSinglePushes: Bool = false, handler: Handler
    ) -> any Service {
        var worker = workerOptions
        worker.concurrency = concurrency ?? worker.concurrency
        worker.priority = carriesSinglePushes || options.channel.lane == .fast ? .high : nil
        return LateWorker(options, workerOptions: worker, handler: handler, context: self)
    }

    /// A client of the store's Redis; the caller closes it.
    package func makeRedisClient(connections: Int? = nil) -> RedisClient {
        var redis = redis
        redis.connections = connections ?? redis.connections
        return RedisClient(
            redis, log: environment.log, metrics: environment.metrics, time: environment.time,
            random: environment.random)
    }

    /// The same per lane. One connection is enough for the few commands of the fast lane.
    package func makeLaneClients() -> LaneClients {
        LaneClients(fast: makeRedisClient(connections: 1), bulk: makeRedisClient())
    }

    /// `what` completes the log message "waiting for …".
    package func untilReachable<Value: Sendable>(
        _ what: String = "the bus", make: @Sendable () async throws -> Value
    ) async throws -> Value {
        var attempt = 0
        while true {
            do {
                return try await make()
            } catch let error as any RetriableError where error.isRetriable {
                attempt += 1
                environment.log.warning("waiting for \(what)", [.error: "\(error)", .attempt: "\(attempt)"])
                try await environment.time.sleep(
                    for: backoff.delay(afterAttempt: attempt, random: environment.random))
            }
        }
    }
}
