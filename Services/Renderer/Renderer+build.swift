import Bus
import RedisClient
import RedisStore
import ServiceHost
import ServiceKit
import Topics

extension Renderer {
    static let group = "renderer"

    /// Workers come last and are stopped first: the work in progress still needs the store.
    static func build(
        _ context: ServiceContext, configuration: RendererConfiguration
    ) async throws -> [any Service] {
        let environment = context.environment
        let redis = context.makeRedisClient()
        environment.health.addReadinessCheck("store") { redis.readiness() }
        let connection = StoreConnection(redis)
        let archive = RedisTaskArchive(connection, time: environment.time)
        let handler = RenderHandler(
            tasks: TaskCache(archive, bytesMaximum: configuration.cacheBytes, metrics: environment.metrics),
            ledger: RedisLedger(connection), environment: environment)
        let workers = [Lane.bulk, .fast].map {
            context.worker(options($0), concurrency: configuration.concurrency, handler: handler)
        }
        return [SharedResources { await redis.close() }] + workers
    }

    /// The order of chunks does not matter. Deliveries are small, so that few chunks wait for a missing task.
    static func options(_ lane: Lane) -> ConsumerOptions {
        ConsumerOptions(
            channel: Topics.audience.channel(lane), group: group, order: .none, batchMessagesMaximum: 8,
            batchBytesMaximum: 256 << 10)
    }
}
