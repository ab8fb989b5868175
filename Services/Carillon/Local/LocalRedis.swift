import Glibc
import RedisClient
import ServiceKit

/// A redis-server of our own on a free loopback port, set as the embedded bus and the registry want it. It and its folder
/// go with the last reference.
final class LocalRedis: Sendable {
    let port: UInt16
    private let process: ChildProcess
    private let folder: String

    /// A free port can be taken before the server has it, so that a few are tried.
    init(isDurable: Bool = true) async throws {
        var template = Array("/tmp/carillon-redis-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw LocalRedisError(description: "no folder could be made in /tmp") }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        var lastWords = ""
        for _ in 0..<5 {
            let port = UInt16.random(in: 20_000..<30_000)
            let process = try ChildProcess(
                "redis-server",
                [
                    "--port", "\(port)", "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly",
                    isDurable ? "yes" : "no", "--appendfsync", "always", "--maxmemory-policy", "noeviction",
                    "--hash-max-listpack-entries", "1024", "--hash-max-listpack-value", "4096",
                    "--set-max-intset-entries", "4096",
                ])
            if await process.line(where: { $0.contains("Ready to accept connections") }) != nil {
                self.port = port
                self.process = process
                self.folder = folder
                return
            }
            lastWords = process.lines.last ?? "it said nothing"
        }
        FileTree.remove(folder)
        throw LocalRedisError(description: "redis-server did not start: \(lastWords)")
    }

    deinit {
        process.signal(SIGKILL)
        FileTree.remove(folder)
    }

    var url: String { "redis://127.0.0.1:\(port)" }

    /// Opens a client for the time of `body`.
    func withClient<Result: Sendable>(_ body: (RedisClient) async throws -> Result) async throws -> Result {
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
