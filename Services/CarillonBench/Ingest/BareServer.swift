import CommandKit
import Glibc
import ServiceKit

/// An HTTP server with a fixed answer, in a process of its own. The last reference stops it.
final class BareServer: Sendable {
    enum Kind: String {
        /// Carillon's HTTP server.
        case ours = "http"
        /// libmicrohttpd, driven from C.
        case microhttpd
        /// A loop that writes to all connections.
        case fanout
        /// A loop that receives datagrams.
        case datagrams
    }

    let port: UInt16
    private let process: ChildProcess

    init(_ kind: Kind = .ours) async throws {
        process = try SiblingProgram("BareLoops").start([kind.rawValue])
        guard let line = await process.line(where: { $0.contains("\"server\":") }),
            let port = LocalIngest.port(in: line)
        else { throw BenchError("BareLoops did not start: \(process.lines.last ?? "no output")") }
        self.port = port
    }

    func usage() throws -> ProcessReading {
        try ProcessReading(process.processID)
    }

    deinit {
        process.signal(SIGKILL)
    }
}
