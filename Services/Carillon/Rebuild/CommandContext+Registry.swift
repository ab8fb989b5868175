import Bus
import CommandKit
import RedisClient
import RedisStore
import RegistryLog
import ServiceHost
import Store

extension CommandContext {
    /// Opens the Redis registry, whose source of truth is the log, and the stores of tasks for the duration of `body`.
    func withRegistry<Result: Sendable>(
        _ body: (any RegistryMaintenance, RecoveryStores) async throws -> Result
    ) async throws -> Result {
        let settings = try settings()
        let environment = WorkerEnvironment(log: settings.log)
        let client = RedisClient(settings.bus.redis, log: settings.log, metrics: environment.metrics)
        do {
            let connection = StoreConnection(client, pipelineMaximum: RegistryRebuild.pipelineMaximum)
            let registry = try await RedisRegistry.open(connection, mode: .follower, log: settings.log)
            let stores = RecoveryStores(
                ledger: RedisLedger(connection), archive: RedisTaskArchive(connection, time: environment.time),
                agenda: RedisTaskAgenda(connection), index: RedisRetryIndex(connection),
                moments: RedisUserMoments(connection), opens: RedisUserOpens(connection),
                replacements: RedisTaskReplacements(connection),
                statistics: RedisTaskStatistics(connection, time: environment.time),
                receipts: RedisTaskReceipts(connection), traces: RedisTaskTraces(connection, time: environment.time),
                doubt: RedisWitness(
                    connection, isRepairable: true, log: settings.log, metrics: environment.metrics))
            let result = try await body(registry, stores)
            await client.close()
            return result
        } catch {
            await client.close()
            throw error
        }
    }
}
