import Bus
import RedisClient
import RedisStore
import ServiceHost
import ServiceKit

/// The stores and the bus for datagrams, with connections of their own.
struct DatagramAccess {
    /// Tasks of one write to the store, and then to the bus.
    static let batchMaximum = 256
    /// Each has a connection to the store: Redis reads 16 KiB of a connection in a round, a tenth of a batch.
    static let batchesAtOnce = 4
    /// A whole batch is one pipeline, since nothing else waits for these connections.
    private static let pipelineMaximum = 2 * batchMaximum

    let settings: DatagramSettings
    let tasks: TaskAccess
    /// Closes the connections when the datagrams are handled.
    let resources: SharedResources

    /// Nil unless datagrams are received.
    static func open(
        _ settings: DatagramSettings?, in context: ServiceContext, room: StoreRoom
    ) async throws -> DatagramAccess? {
        guard let settings else { return nil }
        let redis = context.makeRedisClient(connections: batchesAtOnce)
        let connection = StoreConnection(redis, pipelineMaximum: pipelineMaximum)
        let tasks = try await TaskAccess.open(context, store: connection, room: room)
        let resources = SharedResources { [producer = tasks.producer] in
            await producer.close()
            await redis.close()
        }
        return DatagramAccess(settings: settings, tasks: tasks, resources: resources)
    }
}
