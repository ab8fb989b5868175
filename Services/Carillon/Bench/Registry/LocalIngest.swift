import Glibc
import ServiceKit

/// An ingest-api of the benchmark's own, with one app. It and its folder go with the last reference.
final class LocalIngest: Sendable {
    let port: UInt16
    /// Lets devices register.
    let key: String
    private let folder: String
    private let process: ChildProcess

    init(bus: String) async throws {
        var template = Array("/tmp/carillon-apps-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw BenchError("no folder could be made in /tmp") }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let variables = [
            "CARILLON_BUS": bus, "CARILLON_REDIS": bus, "CARILLON_APPS": folder, "CARILLON_INGEST_PORT": "0",
            "CARILLON_ADMIN_PORT": "0", "CARILLON_LOG_LEVEL": "info",
        ]
        let adding = try SiblingProgram("carillon").start(
            ["apps", "add", "bench", "--scope", "register"], variables: variables)
        guard await adding.end() == .exited(0),
            let key = adding.lines.lazy.compactMap(LocalIngest.key(in:)).first
        else { throw BenchError("carillon apps add: \(adding.lines.joined(separator: " "))") }
        self.key = key
        process = try SiblingProgram("ingest-api").start([], variables: variables)
        guard let line = await process.line(where: { $0.contains("\"server\":\"ingest\"") }),
            let port = LocalIngest.port(in: line)
        else { throw BenchError("ingest-api did not start: \(process.lines.last ?? "it printed nothing")") }
        self.port = port
    }

    deinit {
        process.signal(SIGKILL)
        FileTree.remove(folder)
    }

    func usage() throws -> ProcessReading {
        try ProcessReading(process.processID)
    }

    private static func key(in line: String) -> String? {
        line.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }.first { $0.hasPrefix("ck_") }
            .map(String.init)
    }

    private static func port(in line: String) -> UInt16? {
        line.firstRange(of: "\"port\":\"").flatMap { UInt16(line[$0.upperBound...].prefix { $0.isNumber }) }
    }
}

/// What another process has used so far.
struct ProcessReading: Sendable {
    let cpuSeconds: Double
    let memoryBytesPeak: Int

    init(_ process: pid_t) throws {
        // The name stands in parentheses and may hold anything; what counts comes behind the last of them.
        let stat = ProcessReading.text("/proc/\(process)/stat")
        let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
        let status = ProcessReading.text("/proc/\(process)/status").split(separator: "\n")
        guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]),
            let peak = status.first(where: { $0.hasPrefix("VmHWM:") })?.split(whereSeparator: \.isWhitespace)
                .dropFirst().first.flatMap({ Int($0) })
        else { throw BenchError("process \(process) has ended") }
        cpuSeconds = (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
        memoryBytesPeak = peak * 1_024
    }

    private static func text(_ path: String) -> String {
        String(decoding: SmallFile.read(path, bytesMaximum: 64 << 10) ?? [], as: UTF8.self)
    }
}
