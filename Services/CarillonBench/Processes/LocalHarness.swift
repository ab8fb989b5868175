import CommandKit
import Glibc
import JSONKit
import PushModel
import ServiceKit
import Signing

/// A `carillon up` started by the benchmark, with the simulator. The last reference stops it and removes its folder.
final class LocalHarness: Sendable {
    /// Google's default quota of 10,000 pushes per second would limit every broadcast.
    private static let variables = ["CARILLON_FCM_PUSHES_PER_MINUTE": "100000000"]

    let url: String
    /// Nil for a build that has none.
    private let stream: String?
    let redis: String
    let simulator: String
    let key: Secret
    private let app: AppID
    private let pepperFile: String
    private let apps: [String: String]
    private let appFile: String
    private let programs: [(name: String, processID: pid_t, admin: String?, logFile: String?)]
    private let carillon: SiblingProgram
    private let process: ChildProcess
    private let folder: LocalFolder

    /// With the programs of another build if their folder is given.
    init(
        memory: String, programs programFolder: String? = nil, arguments: [String] = [],
        variables: [String: String] = [:]
    ) async throws {
        folder = try LocalFolder("up")
        carillon = try SiblingProgram("carillon", in: programFolder)
        process = try carillon.start(
            ["up", "--simulator", "--json", "--data", folder.path, "--memory", memory] + arguments,
            variables: LocalHarness.variables.merging(variables) { $1 })
        guard let line = await process.line(within: .seconds(60), where: { $0.hasPrefix("{\"ready\":true") }) else {
            throw BenchError("carillon up did not start: \(process.lines.suffix(3).joined(separator: "\n"))")
        }
        let announcement = try JSON(line)
        func text(_ name: String) throws -> String {
            guard let text = announcement[name]?.text else { throw BenchError("carillon up did not announce \(name)") }
            return text
        }
        url = try text("url")
        stream = announcement["stream"]?.text
        redis = try text("redis")
        simulator = try text("simulator")
        app = try AppID(text("app"))
        pepperFile = try text("pepper_file")
        appFile = "\(try text("apps"))/\(app).json"
        apps = ["CARILLON_APPS": try text("apps"), "CARILLON_PEPPER_FILE": pepperFile]
        key = try LocalKeyFile.read(text("key_file"))
        programs = (announcement["programs"]?.object?.members ?? []).compactMap { name, program in
            program.count("pid").map { (name, pid_t($0), program["admin"]?.text, program["log"]?.text) }
        }
    }

    deinit {
        // The programs that it started exit with it.
        process.signal(SIGKILL)
    }

    /// Adds an app with its own key, which the pipeline loads a few seconds later.
    func addApp(_ name: String, scope: String) async throws -> String {
        let adding = try carillon.start(
            ["apps", "add", name, "--scope", scope, "--no-web-push"], variables: apps)
        guard await adding.end() == .exited(0), let key = adding.lines.lazy.compactMap(LocalIngest.key(in:)).first
        else { throw BenchError("carillon apps add: \(adding.lines.joined(separator: " "))") }
        return key
    }

    /// Lets programs of this machine use the app without a key, a few seconds later.
    func allowLoopback(scope: String) throws {
        guard let content = SmallFile.read(appFile, bytesMaximum: 1 << 20), var document = try JSON(content).object
        else {
            throw BenchError("cannot read \(appFile)")
        }
        document["allow"] = try JSON(Array(#"[{"range":"127.0.0.1/32","scopes":["\#(scope)"]}]"#.utf8))
        let descriptor = open(appFile, O_WRONLY | O_TRUNC | O_CLOEXEC)
        defer { close(descriptor) }
        guard descriptor >= 0, WholeWrite.write(JSON.object(document).compactBytes, to: descriptor) else {
            throw BenchError("cannot write \(appFile)")
        }
    }

    /// The metrics of a program, in Prometheus' text format.
    func metrics(of name: String) throws -> String {
        guard let admin = programs.first(where: { $0.name == name })?.admin else { throw BenchError("no \(name) runs") }
        let connection = try LoadConnection(port: try LocalHarness.port(of: admin))
        let body = try connection.exchange(Array("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8))
        return String(decoding: body, as: UTF8.self)
    }

    /// `carillon up` passes on only the simulator's admin address; the rest is in the log.
    func simulatorAnnouncement() throws -> SimulatorAnnouncement {
        let log = programs.first { $0.name == "provider-simulator" }?.logFile ?? ""
        let lines = (SmallFile.read(log, bytesMaximum: 1 << 20) ?? []).split(separator: UInt8(ascii: "\n"))
        let found = lines.lazy.compactMap { SimulatorAnnouncement(line: String(decoding: $0, as: UTF8.self)) }.first
        guard let found else { throw BenchError("\(log) has no announcement of provider-simulator") }
        return found
    }

    /// The key of the app's receipts.
    func receiptKey() throws -> ReceiptKey {
        guard let content = SmallFile.read(pepperFile, bytesMaximum: 4_096) else {
            throw BenchError("cannot read \(pepperFile)")
        }
        let secret = content.prefix { $0 != UInt8(ascii: "\n") }
        return ReceiptKey(secret: Array(secret), app: app)
    }

    /// The port of the API.
    func port() throws -> UInt16 { try LocalHarness.port(of: url) }

    /// The port for listeners.
    func streamPort() throws -> UInt16 {
        guard let stream else { throw BenchError("carillon up did not announce stream") }
        return try LocalHarness.port(of: stream)
    }

    private static func port(of url: String) throws -> UInt16 {
        guard let port = url.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw BenchError("\(url) has no port")
        }
        return port
    }

    /// A request that posts a task to the topic `bench`, to which no device is subscribed.
    var taskRequest: [UInt8] {
        post("/v1/tasks", body: #"{"audience":{"topic":"bench"},"message":{"title":"Hello","body":"World"}}"#)
    }

    func post(_ path: String, body: String) -> [UInt8] {
        Array(
            """
            POST \(path) HTTP/1.1\r
            Host: 127.0.0.1\r
            Authorization: Bearer \(key.reveal())\r
            Content-Type: application/json\r
            Content-Length: \(body.utf8.count)\r
            \r
            \(body)
            """.utf8)
    }

    func process(_ name: String) throws -> pid_t {
        guard let program = programs.first(where: { $0.name == name }) else { throw BenchError("no \(name) runs") }
        return program.processID
    }

    /// Number of programs that no longer run as the process that was announced.
    var programsEnded: Int {
        programs.count { kill($0.processID, 0) != 0 }
    }

    /// Resources used by each program so far.
    func usage() throws -> [ProgramUsage] {
        try programs.map { ProgramUsage($0.name, reading: try ProcessReading($0.processID)) }
    }

    /// The same, with the CPU time since an earlier reading.
    func usage(since before: [ProgramUsage]) throws -> [ProgramUsage] {
        try zip(before, usage()).map { $1.since($0) }
    }
}
