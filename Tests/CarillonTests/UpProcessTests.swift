import CommandKit
import Glibc
import HTTPServer
import JSONKit
import RedisClient
import ServiceKit
import TestSupport
import Testing

@testable import Carillon

/// `carillon up` as an operator runs it, with its own Redis and simulator, and probes in place of the services.
@Suite(.timeLimit(.minutes(6))) struct UpProcessTests {
    private let programs: ProgramFolder
    private let data = TemporaryDirectory("data")

    init() async throws {
        programs = try await ProgramFolder()
    }

    private func up(_ arguments: String...) throws -> ChildProcess {
        try programs.carillon(["up", "--data", data.path] + arguments)
    }

    private func announcement(of up: ChildProcess) async throws -> JSON {
        let line = await up.line(within: .hangLimit) { $0.hasPrefix("{\"ready\":true") }
        return try JSON(try #require(line, "\(up.lines)"))
    }

    private func processID(_ name: String, announcement: JSON) throws -> pid_t {
        pid_t(try #require(announcement["programs"]?[name]?.count("pid")))
    }

    /// Returns when `up` and all of its programs have exited: each of them holds the lock.
    private func allAreGone() async -> Bool {
        let file = data.file("up.lock")
        return await blocking {
            let descriptor = open(file, O_RDONLY | O_CLOEXEC)
            defer { close(descriptor) }
            return flock(descriptor, LOCK_EX) == 0
        }
    }

    @Test func everythingStartsIsAnnouncedAndEndsInGoodOrder() async throws {
        let up = try up("--json", "--simulator")
        let announced = try await announcement(of: up)
        #expect(announced["app"]?.text == "demo")
        #expect(announced["page"] == .null)
        #expect(announced["ca_file"]?.text == data.file("simulator/ca.pem"))
        let names = ["redis", "provider-simulator"] + ProgramFolder.services.sorted()
        #expect(announced["programs"]?.object?.names.sorted() == names.sorted())
        #expect(announced["programs"]?["ingest-api"]?["url"] == announced["url"])
        #expect(announced["programs"]?["ingest-api"]?["admin"] != announced["url"])
        let kept = try JSON(try #require(SmallFile.read(data.file("up.json"), bytesMaximum: 1 << 16)))
        #expect(kept == announced)
        let app = try JSON(try #require(SmallFile.read(data.file("apps/demo.json"), bytesMaximum: 1 << 16)))
        #expect(app["providers"]?["fcm"]?["service_account_file"]?.text == data.file("simulator/service-account.json"))
        #expect(app["providers"]?["http"]?["signing_key_file"]?.text == data.file("simulator/http-signing-key"))

        // The terminal sends Ctrl-C to the whole process group, but `up` determines the order in which programs stop.
        let renderer = try processID("renderer", announcement: announced)
        #expect(getpgid(renderer) == renderer)

        up.signal(SIGINT)
        #expect(await up.end(within: .hangLimit) == .exited(0), "\(up.lines)")
        #expect(await allAreGone())
        #expect(access(data.file("up.json"), F_OK) != 0)
        let redis = String(
            decoding: SmallFile.read(data.file("logs/redis.log"), bytesMaximum: 1 << 20) ?? [], as: UTF8.self)
        #expect(redis.contains("Redis is now ready to exit"))
    }

    /// The demonstration itself needs real services, and fails; the page is served regardless.
    @Test func theExampleIsServedFromAnOriginOfItsOwn() async throws {
        let up = try up("--json", "--simulator", "--demo")
        let announced = try await announcement(of: up)
        let api = try #require(announced["url"]?.text)
        let page = try #require(announced["page"]?.text)
        #expect(page != api && page.hasPrefix("http://127.0.0.1:"))
        let port = try #require(page.split(separator: ":").last.flatMap { UInt16($0) })
        let script = await blocking {
            let client = RawClient(port: port)
            client.send("GET /app.js HTTP/1.1\r\nHost: test\r\n\r\n")
            return client.receiveResponse()
        }
        #expect(script?.text.contains("\(api)/carillon.js") == true)
        let key = String(
            decoding: try #require(SmallFile.read(data.file("page-key"), bytesMaximum: 1_000)).dropLast(),
            as: UTF8.self)
        #expect(script?.text.contains("\"\(key)\"") == true)
        let app = try JSON(try #require(SmallFile.read(data.file("apps/demo.json"), bytesMaximum: 1 << 16)))
        let origins = app["credentials"]?.elements?.compactMap { $0["origins"]?.elements?.first?.text }
        #expect(origins == [page])
        up.signal(SIGTERM)
        #expect(await up.end(within: .hangLimit) == .exited(0), "\(up.lines)")
    }

    @Test func aSecondUpInOneFolderNamesTheFirst() async throws {
        let first = try up("--json")
        _ = try await announcement(of: first)
        let second = try up()
        #expect(await second.end(within: .hangLimit) == .exited(1))
        #expect(second.lines.first?.hasPrefix("carillon: process \(first.processID) holds \(data.path): ") == true)
    }

    /// Its programs are killed with it, and the next start finds the data of the first.
    @Test func aKilledUpLeavesNothingRunningAndGoesOnLater() async throws {
        let first = try up("--json", "--simulator")
        let before = try await announcement(of: first)
        let key = SmallFile.read(data.file("demo.key"), bytesMaximum: 1_000)
        _ = try await withRedis(before) { try await $0.send(RedisCommand("SET", "kept", "yes")) }
        let account = SmallFile.read(data.file("simulator/service-account.json"), bytesMaximum: 1 << 16)
        first.signal(SIGKILL)
        #expect(await allAreGone())

        let second = try up("--json", "--simulator")
        let after = try await announcement(of: second)
        #expect(SmallFile.read(data.file("demo.key"), bytesMaximum: 1_000) == key)
        #expect(SmallFile.read(data.file("simulator/service-account.json"), bytesMaximum: 1 << 16) != account)
        let kept = try await withRedis(after) { try await $0.send(RedisCommand("GET", "kept")) }
        #expect(kept.bytes == Array("yes".utf8))
        second.signal(SIGTERM)
        #expect(await second.end(within: .hangLimit) == .exited(0))
    }

    private func withRedis<Result: Sendable>(
        _ announcement: JSON, body: (RedisClient) async throws -> Result
    ) async throws -> Result {
        let url = try #require(announcement["redis"]?.text)
        let client = RedisClient(
            try RedisConfiguration(url: url), log: Log(service: "test", level: .error, sink: CollectingSink()),
            metrics: Metrics())
        let result = try await body(client)
        await client.close()
        return result
    }

    @Test func aProgramThatDiesIsStartedAgain() async throws {
        let up = try up("--json")
        let announced = try await announcement(of: up)
        kill(try processID("renderer", announcement: announced), SIGKILL)
        #expect(await up.line(within: .hangLimit) { $0.contains("renderer exited (signal 9)") } != nil)
        #expect(await up.line(within: .hangLimit) { $0.contains("renderer is ready again") } != nil)
        let renewed = try JSON(try #require(SmallFile.read(data.file("up.json"), bytesMaximum: 1 << 16)))
        let process = try processID("renderer", announcement: renewed)
        #expect(
            process != (try processID("renderer", announcement: announced)), "up.json still has the old process id")
        #expect(up.lines.contains { $0.hasSuffix("renderer is ready again, process \(process)") })
        #expect(renewed["programs"]?["reporter"] == announced["programs"]?["reporter"])
        kill(try processID("redis", announcement: announced), SIGKILL)
        #expect(await up.line(within: .hangLimit) { $0.contains("redis is ready again") } != nil)
        up.signal(SIGTERM)
        #expect(await up.end(within: .hangLimit) == .exited(0), "\(up.lines)")
    }

    /// A restarted simulator has other credentials and another authority: app and senders must get them.
    @Test func aNewSimulatorRenewsTheAppAndTheSenders() async throws {
        let up = try up("--json", "--simulator")
        let announced = try await announcement(of: up)
        kill(try processID("provider-simulator", announcement: announced), SIGKILL)
        for sender in ["apns-sender", "android-sender", "web-sender"] {
            #expect(await up.line(within: .hangLimit) { $0.contains("\(sender) is ready again") } != nil)
        }
        #expect(!up.lines.contains { $0.contains("sender exited") })
    }

    @Test func aProgramThatEndsAtOnceIsGivenUpWithItsLastWords() async throws {
        try await programs.replace("renderer", withScript: "echo no strings to pull; exit 3")
        let up = try up()
        #expect(await up.end(within: .hangLimit) == .exited(1))
        #expect(up.lines.contains { $0.contains("renderer failed (exit code 3) and is not restarted") })
        #expect(up.lines.last == "  no strings to pull")
        #expect(await allAreGone())
    }

    @Test func aMissingServiceIsNamedWithTheCure() async throws {
        programs.remove("renderer")
        let up = try up()
        #expect(await up.end(within: .hangLimit) == .exited(1))
        #expect(up.lines.first?.hasPrefix("carillon: renderer: not in ") == true)
        #expect(up.lines.first?.hasSuffix("build everything with `make build`") == true)
        #expect(access(data.file("redis"), F_OK) != 0)
    }

    @Test func aTakenPortIsReplacedAndSaid() async throws {
        let other = HTTPServer(
            name: "other", configuration: HTTPServerConfiguration(), router: HTTPRouter(),
            log: Log(service: "test", sink: CollectingSink()), metrics: Metrics())
        try other.start()
        let port = try #require(other.port)
        let up = try up("--json", "--port", "\(port)")
        let announced = try await announcement(of: up)
        #expect(announced["url"]?.text != "http://127.0.0.1:\(port)")
        #expect(up.lines.contains { $0.contains("port \(port) is taken") })
        await other.stop()
    }

    /// Services that ignore SIGTERM are killed at the deadline.
    @Test func whoWillNotEndIsKilledAtTheDeadline() async throws {
        try await programs.replace("scheduler", withScript: ProgramFolder.deaf)
        let up = try up("--drain", "1s")
        #expect(await up.line(within: .hangLimit) { $0.hasSuffix("deaf") } != nil, "\(up.lines)")
        up.signal(SIGTERM)
        #expect(await up.end(within: .hangLimit) == .exited(1))
        // On a busy machine other services may exceed the deadline, too.
        let last = up.lines.first { $0.contains("did not stop within 1s and had to be killed") }
        #expect(last?.contains("scheduler") == true, "\(up.lines.suffix(20))")
        #expect(await allAreGone())
    }

    @Test func aSecondSignalEndsAtOnce() async throws {
        try await programs.replace("scheduler", withScript: ProgramFolder.deaf)
        let up = try up("--drain", "1h")
        #expect(await up.line(within: .hangLimit) { $0.hasSuffix("deaf") } != nil, "\(up.lines)")
        up.signal(SIGINT)
        #expect(await up.line(within: .hangLimit) { $0.contains("stopping") } != nil)
        up.signal(SIGINT)
        #expect(await up.end(within: .hangLimit) == .exited(128 + SIGINT))
        #expect(await allAreGone())
    }

    @Test func whatIsNotReadyInTimeIsNamed() async throws {
        try await programs.replace("reporter", withScript: "exec sleep 1000")
        let up = try up("--ready-within", "5s", "--drain", "5s")
        #expect(await up.end(within: .hangLimit) == .exited(1))
        #expect(up.lines.contains("carillon: not ready within 5s:"), "\(up.lines)")
        #expect(up.lines.contains { $0.hasPrefix("  reporter: ") })
    }
}

/// A folder with the command and its programs: the real simulator, and the probe under the names of the services.
private final class ProgramFolder: Sendable {
    static let services = [
        "ingest-api", "targeting-resolver", "renderer", "apns-sender", "android-sender", "web-sender", "reporter",
        "scheduler", "event-stream",
    ]

    private let folder = TemporaryDirectory("programs")

    /// The command searches in the folder of its own file, so it must be a copy and not a link.
    init() async throws {
        let copy = try ChildProcess("cp", arguments: [builtExecutable("carillon"), folder.path])
        #expect(await copy.end() == .exited(0))
        link("provider-simulator", to: builtExecutable("provider-simulator"))
        for service in ProgramFolder.services { link(service, to: builtExecutable("BusProbe")) }
    }

    /// It logs a warning, since other output is shown only with a failure.
    static let deaf = #"trap '' TERM; echo '{"level":"warning","message":"deaf"}'; exec sleep 1000"#

    private static let settings = ["CARILLON_BUS_LEASE": "1s", "CARILLON_BUS_HEARTBEAT": "200ms"]

    var command: String { folder.file("carillon") }

    func carillon(_ arguments: [String]) throws -> ChildProcess {
        let inherited = EnvironmentReader.processEnvironment().filter { !$0.key.hasPrefix("CARILLON") }
        return try ChildProcess(
            command, arguments: arguments, environment: inherited.merging(ProgramFolder.settings) { $1 })
    }

    func shell(_ lines: String, in folder: String) throws -> ChildProcess {
        try ChildProcess.shell(lines, in: folder, settings: ProgramFolder.settings)
    }

    func replace(_ name: String, withScript script: String) async throws {
        remove(name)
        _ = try await folder.writeScript(name, script)
    }

    func remove(_ name: String) {
        unlink(folder.file(name))
    }

    private func link(_ name: String, to target: String) {
        symlink(target, folder.file(name))
    }
}
