import Bus
import RedisStore
import ServiceHost
import ServiceKit
import Store

/// Dependencies for accepting tasks: the stores other than the registry, and the bus producer.
struct TaskAccess {
    /// Short, because a publisher waits for the response.
    private static let patience = Duration.seconds(5)

    let archive: any TaskArchive
    let ledger: any Ledger
    let agenda: any TaskAgenda
    let index: any RetryIndex
    let traces: any TaskTraces
    let receipts: any TaskReceipts
    let statistics: any TaskStatistics
    let deviceTasks: any DeviceTasks
    let replacements: any TaskReplacements
    let moments: any UserMoments
    let opens: any UserOpens
    let keys: any IdempotencyStore
    let producer: any BusProducer
    let bus: any Bus
    let outages: any ProviderOutages
    let failingServers: any FailingServers
    let room: StoreRoom

    static func open(_ context: ServiceContext, store: StoreConnection, room: StoreRoom) async throws -> TaskAccess {
        let producer = try await context.untilReachable {
            try await context.bus.makeProducer(ProducerOptions(patience: patience))
        }
        return TaskAccess(
            archive: RedisTaskArchive(store, time: context.environment.time), ledger: RedisLedger(store),
            agenda: RedisTaskAgenda(store), index: RedisRetryIndex(store),
            traces: RedisTaskTraces(store, time: context.environment.time),
            receipts: RedisTaskReceipts(store),
            statistics: RedisTaskStatistics(store, time: context.environment.time),
            deviceTasks: RedisDeviceTasks(store, time: context.environment.time),
            replacements: RedisTaskReplacements(store), moments: RedisUserMoments(store),
            opens: RedisUserOpens(store),
            keys: RedisIdempotencyStore(store), producer: producer,
            bus: context.bus, outages: RedisProviderOutages(store), failingServers: RedisFailingServers(store),
            room: room)
    }
}
