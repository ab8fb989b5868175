import Glibc
import ServiceKit

/// The HTTP server that everything here listens with, in a process of its own, with a fixed answer. It goes with the last
/// reference.
final class BareServer: Sendable {
    let port: UInt16
    private let process: ChildProcess

    init() async throws {
        process = try SiblingProgram("BareLoops").start(["http"])
        guard let line = await process.line(where: { $0.contains("\"server\":\"bare\"") }),
            let port = LocalIngest.port(in: line)
        else { throw BenchError("BareLoops did not start: \(process.lines.last ?? "it printed nothing")") }
        self.port = port
    }

    deinit {
        process.signal(SIGKILL)
    }
}
