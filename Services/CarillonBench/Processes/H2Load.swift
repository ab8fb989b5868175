import CommandKit
import Glibc
import ServiceKit

/// nghttp2's load generator, the baseline for sending.
enum H2Load {
    /// Requests over HTTP/2 with TLS to a server of this machine, to each path in turn.
    struct Requests: Sendable {
        let port: UInt16
        let paths: [String]
        let headers: [(name: String, value: String)]
        let body: [UInt8]
    }

    /// About thirty bytes per line, for the maximum number of requests.
    private static let logBytesMaximum = 64 << 20

    static func requireInstalled() async throws {
        do {
            _ = try await ChildProcess("h2load", arguments: ["--version"]).end()
        } catch {
            throw BenchError("h2load is not installed: apt-get install nghttp2-client")
        }
    }

    static func run(_ requests: Requests, shape: SendShape, count: Int) async throws -> SendReading {
        let folder = try LocalFolder("h2load")
        let origin = "https://127.0.0.1:\(requests.port)"
        let addresses = requests.paths.map { "\(origin)\($0)\n" }.joined()
        let body = try folder.write("body", content: requests.body)
        let list = try folder.write("addresses", content: Array(addresses.utf8))
        let (rate, cpuSeconds) = try await run(
            [
                "--clients=\(shape.connections)", "--max-concurrent-streams=\(shape.streamsPerConnection)",
                "--data=\(body)", "--input-file=\(list)",
            ] + requests.headers.map { "--header=\($0.name): \($0.value)" }, requests: count)
        return SendReading(requests: count, seconds: Double(count) / rate, cpuSeconds: cpuSeconds)
    }

    /// Requests per second, and the CPU time of h2load. Every response must be a 2xx.
    static func run(_ arguments: [String], requests: Int) async throws -> (rate: Double, cpuSeconds: Double) {
        let cpuBefore = cpuSecondsOfEndedChildren
        let process = try ChildProcess("h2load", arguments: ["--requests=\(requests)"] + arguments)
        guard await process.end(within: .seconds(300)) == .exited(0), let rate = rate(process.lines) else {
            throw BenchError("h2load: \(process.lines.last ?? "no output")")
        }
        guard process.lines.contains(where: { $0.hasPrefix("status codes: \(requests) 2xx") }) else {
            throw BenchError("h2load: not every request was accepted: \(process.lines.joined(separator: " "))")
        }
        return (rate, cpuSecondsOfEndedChildren - cpuBefore)
    }

    /// Parses lines of `--log-file`: start, status, and microseconds until the response was complete.
    static func milliseconds(inLog path: String) throws -> [Double] {
        guard let bytes = SmallFile.read(path, bytesMaximum: logBytesMaximum) else {
            throw BenchError("cannot read \(path)")
        }
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            line.split(separator: UInt8(ascii: "\t")).last
                .flatMap { Double(String(decoding: $0, as: UTF8.self)) }.map { $0 / 1_000 }
        }
    }

    /// Parses `finished in 540.21ms, 185113.43 req/s, 11.12MB/s`.
    private static func rate(_ lines: [String]) -> Double? {
        let words = lines.first { $0.hasPrefix("finished in ") }?.split(separator: " ") ?? []
        return words.firstIndex(of: "req/s,").flatMap { Double(words[$0 - 1]) }
    }

    /// Valid because no other child process exits while h2load runs.
    private static var cpuSecondsOfEndedChildren: Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }
}
