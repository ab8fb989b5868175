package import Bus
package import RedisClient
package import ServiceKit
import Topics

/// What a service is built from. Everything that waits for the outside waits here, with a line in the log and a reason in
/// `/readyz`, and gives up when the service is told to stop.
package struct ServiceContext: Sendable {
    package let bus: any Bus
    package let environment: WorkerEnvironment
    package let workerOptions: WorkerOptions
    /// Where the registry, the ledger and the schedules are.
    package let redis: RedisConfiguration
    /// Whether the truth about devices is a log on the bus, as it is with Kafka, and Redis only its projection.
    package let hasLoggedRegistry: Bool
    /// The share of Redis' `maxmemory` at which new tasks are refused.
    package let memoryPercent: Int
    /// One for all workers of the process.
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

    /// A worker over one topic or lane. It joins its group when it is run, so that no partition waits for a service that is
    /// still being built. Without a concurrency of its own it has the one that all workers of the process have.
    ///
    /// What carries single pushes has priority, as the fast lane has by itself: it is resumed before the hundreds of tasks
    /// of a broadcast that wait for a thread.
    package func worker<Handler: MessageHandler>(
        _ options: ConsumerOptions, concurrency: Int? = nil, carriesSinglePushes: Bool = false, handler: Handler
    ) -> any Service {
        var worker = workerOptions
        worker.concurrency = concurrency ?? worker.concurrency
        worker.priority = carriesSinglePushes || options.channel.lane == .fast ? .high : nil
        return LateWorker(options, workerOptions: worker, handler: handler, context: self)
    }

    /// A client of the store's Redis, to be closed by whoever asked for it.
    package func makeRedisClient(connections: Int? = nil) -> RedisClient {
        var redis = redis
        redis.connections = connections ?? redis.connections
        return RedisClient(
            redis, log: environment.log, metrics: environment.metrics, time: environment.time,
            random: environment.random)
    }

    /// The same for each lane. One connection is enough for the few questions of the fast one.
    package func makeLaneClients() -> LaneClients {
        LaneClients(fast: makeRedisClient(connections: 1), bulk: makeRedisClient())
    }

    /// `what` completes the log's "waiting for".
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
