import CommandKit
import Glibc
import ServiceKit

/// An ingest-api started by the benchmark, with one app. The last reference stops it and removes its folder.
final class LocalIngest: Sendable {
    let port: UInt16
    /// A key with the requested scope.
    let key: String
    private let folder: LocalFolder
    private let process: ChildProcess

    init(bus: String, scope: String, variables: [String: String] = [:]) async throws {
        folder = try LocalFolder("apps")
        let variables = variables.merging([
            "CARILLON_BUS": bus, "CARILLON_REDIS": bus, "CARILLON_APPS": folder.path, "CARILLON_INGEST_PORT": "0",
            "CARILLON_ADMIN_PORT": "0", "CARILLON_LOG_LEVEL": "info",
        ]) { $1 }
        let adding = try SiblingProgram("carillon").start(
            ["apps", "add", "bench", "--scope", scope, "--no-web-push"], variables: variables)
        guard await adding.end() == .exited(0),
            let key = adding.lines.lazy.compactMap(LocalIngest.key(in:)).first
        else { throw BenchError("carillon apps add: \(adding.lines.joined(separator: " "))") }
        self.key = key
        process = try SiblingProgram("ingest-api").start([], variables: variables)
        guard let line = await process.line(where: { $0.contains("\"server\":\"ingest\"") }),
            let port = LocalIngest.port(in: line)
        else { throw BenchError("ingest-api did not start: \(process.lines.last ?? "no output")") }
        self.port = port
    }

    deinit {
        process.signal(SIGKILL)
    }

    func usage() throws -> ProcessReading {
        try ProcessReading(process.processID)
    }

    static func key(in line: String) -> String? {
        line.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }.first { $0.hasPrefix("ck_") }
            .map(String.init)
    }

    /// Parses the line with which an HTTP server logs that it listens.
    static func port(in line: String) -> UInt16? {
        line.firstRange(of: "\"port\":\"").flatMap { UInt16(line[$0.upperBound...].prefix { $0.isNumber }) }
    }
}
