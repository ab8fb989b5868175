import Bus
import RedisClient
import RedisStore
import ServiceHost
import Store

extension Surroundings {
    /// Opens the registry of a house whose truth is the log, for the time of `body`.
    func withRegistry<Result: Sendable>(
        _ body: (any RegistryMaintenance) async throws -> Result
    ) async throws -> Result {
        let settings = try settings()
        let environment = WorkerEnvironment(log: settings.log)
        let client = RedisClient(settings.bus.redis, log: settings.log, metrics: environment.metrics)
        do {
            let registry = try await RedisRegistry.open(
                StoreConnection(client), mode: .follower, log: settings.log)
            let result = try await body(registry)
            await client.close()
            return result
        } catch {
            await client.close()
            throw error
        }
    }
}
