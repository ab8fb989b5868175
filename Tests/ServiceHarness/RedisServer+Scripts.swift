package import RedisClient
import ServiceKit
package import TestSupport

extension RedisServer {
    /// Loads scripts, which compiles them, and returns the digests by which the server knows them.
    package func load(_ scripts: [RedisScript]) async throws -> [String] {
        let redis = RedisClient(
            try RedisConfiguration(url: url), log: Log(service: "test", level: .error), metrics: Metrics())
        var digests: [String] = []
        for script in scripts {
            let reply = try await redis.send(RedisCommand("SCRIPT", "LOAD", RedisArgument(script.source)))
            digests.append(reply.string ?? "\(reply)")
        }
        await redis.close()
        return digests
    }
}
