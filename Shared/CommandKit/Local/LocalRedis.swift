package import Glibc
package import RedisClient
import ServiceHost
import ServiceKit

/// A redis-server on a free loopback port, configured for the embedded bus and the registry. The last reference removes
/// it and its folder; it ends with this process, however that ends.
package final class LocalRedis: Sendable {
    package let port: UInt16
    private let process: ChildProcess
    private let folder: LocalFolder

    /// A free port may be taken before the server binds it, so several are tried.
    package init(isDurable: Bool = true) async throws {
        folder = try LocalFolder("redis")
        var options = ChildProcess.Options()
        options.diesWithParent = true
        var lastWords = ""
        for _ in 0..<5 {
            let port = UInt16.random(in: 20_000..<30_000)
            let process = try ChildProcess(
                EmbeddedRedis.program,
                arguments: EmbeddedRedis.arguments(port: port, folder: folder.path, isDurable: isDurable),
                options: options)
            if await process.line(where: EmbeddedRedis.isReady) != nil {
                self.port = port
                self.process = process
                return
            }
            lastWords = process.lines.last ?? "no output"
        }
        throw LocalRedisError(description: "redis-server did not start: \(lastWords)")
    }

    deinit {
        process.signal(SIGKILL)
    }

    package var processID: pid_t { process.processID }

    package var url: String { "redis://127.0.0.1:\(port)" }

    /// Opens a client for the duration of `body`.
    package func withClient<Result: Sendable>(_ body: (RedisClient) async throws -> Result) async throws -> Result {
        let client = RedisClient(
            RedisConfiguration(port: port), log: Log(service: "carillon", level: .error, sink: StandardErrorSink()),
            metrics: Metrics())
        do {
            let result = try await body(client)
            await client.close()
            return result
        } catch {
            await client.close()
            throw error
        }
    }
}

struct LocalRedisError: Error, CustomStringConvertible {
    let description: String
}
