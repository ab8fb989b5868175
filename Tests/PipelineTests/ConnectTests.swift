import Glibc
import JSONKit
import ServiceKit
import TestSupport
import Testing

/// From the simulator to a provider with a key of one's own. A second simulator plays Apple: the pipeline's own one
/// does not know its key.
@Suite(.timeLimit(.minutes(10))) struct ConnectTests {
    private let folder = TemporaryDirectory("connect")

    /// What a provider announces, as far as these tests use it.
    private struct Apple {
        let process: ChildProcess
        let facts: JSON
        let variables: [String: String]

        init(in folder: TemporaryDirectory) async throws {
            mkdir(folder.file("apple"), 0o755)
            let environment = EnvironmentReader.processEnvironment().merging([
                "CARILLON_SIMULATOR_FOLDER": folder.file("apple"), "CARILLON_SIMULATOR_ADMIN_PORT": "0",
            ]) { $1 }
            process = try ChildProcess(builtExecutable("provider-simulator"), environment: environment)
            let line = await process.line(within: .hangLimit) { $0.hasPrefix("{\"ready\":true") }
            facts = try JSON(try #require(line, "\(process.lines)"))
            variables = [
                "CARILLON_APNS_HOST": try #require(facts["host"]?.text),
                "CARILLON_APNS_PORT": try #require(facts["apns"]?["port"]?.compactText),
                "CARILLON_APNS_CA_FILE": try #require(facts["ca_file"]?.text),
            ]
        }

        func option(_ name: String, field: String) throws -> [String] {
            [name, try #require(facts["apns"]?[field]?.text)]
        }

        /// Pushes that it has delivered.
        func delivered() async throws -> Int {
            let shell = try ChildProcess.shell("curl -sS \(try #require(facts["admin"]?.text))/stats", in: "/tmp")
            #expect(await shell.end(within: .hangLimit) == .exited(0))
            let stats = try JSON(shell.lines.joined())
            return Int(try #require(stats["apns"]?["accepted"]?.compactText, "\(shell.lines)")) ?? -1
        }
    }

    private func carillon(_ words: [String], variables: [String: String]) throws -> ChildProcess {
        let environment = EnvironmentReader.processEnvironment().merging(variables) { $1 }
        return try ChildProcess(
            builtExecutable("carillon"), arguments: words + ["--data", folder.file("data")], environment: environment)
    }

    @Test func aKeyIsTriedStoredAndUsedWhileThePipelineRuns() async throws {
        let apple = try await Apple(in: folder)
        let up = try carillon(["up", "--simulator", "--json"], variables: apple.variables)
        _ = try #require(await up.line(within: .hangLimit) { $0.hasPrefix("{\"ready\":true") }, "\(up.lines)")
        let app = folder.file("data/apps/demo.json")
        let before = SmallFile.read(app, bytesMaximum: 1 << 16)
        let key =
            try apple.option("--key-file", field: "key_file") + apple.option("--topic", field: "topic")
            + apple.option("--key-id", field: "key_id")

        let wrong = try carillon(
            ["apps", "connect", "apns"] + key + ["--team-id", "WRONGTEAM0"], variables: apple.variables)
        #expect(await wrong.end(within: .hangLimit) == .exited(1), "\(wrong.lines)")
        #expect(
            wrong.lines.contains { $0.contains("Apple refuses the key: status 403, InvalidProviderToken") },
            "\(wrong.lines)")
        #expect(SmallFile.read(app, bytesMaximum: 1 << 16) == before)

        let right = try carillon(
            ["apps", "connect", "apns"] + key + apple.option("--team-id", field: "team_id"), variables: apple.variables)
        #expect(await right.end(within: .hangLimit) == .exited(0), "\(right.lines)")
        #expect(right.lines.contains("Apple accepts the key"), "\(right.lines)")
        let own = await up.line(within: .hangLimit) { $0.contains("an app has its own key for apns") }
        #expect(own != nil, "\(up.lines.suffix(10))")

        let count = try await apple.delivered()
        let use = """
            set -e
            url=$(sed 's/.*"url":"\\(http[^"]*\\)","stream".*/\\1/' data/up.json)
            curl -sS --fail -H "Authorization: Bearer $(cat data/demo.key)" "$url/subscribers" -d proto=apns \
            -d lang=en -d token=\(String(repeating: "0123456789abcdef", count: 4))
            \(builtExecutable("carillon")) push --all --title Hello --watch --data data
            """
        let user = try ChildProcess.shell(use, in: folder.path)
        #expect(await user.end(within: .hangLimit) == .exited(0), "\(user.lines) \(up.lines.suffix(10))")
        #expect(try await apple.delivered() == count + 1)
        up.signal(SIGINT)
        #expect(await up.end(within: .hangLimit) == .exited(0), "\(up.lines.suffix(10))")
        apple.process.signal(SIGTERM)
        #expect(await apple.process.end(within: .hangLimit) == .exited(0))
    }

    /// A provider that cannot be reached, as on a machine without a way out, does not keep the key from being stored.
    @Test func aProviderThatIsAwayDoesNotRefuse() async throws {
        let apple = try await Apple(in: folder)
        let added = try carillon(["apps", "add", "news"], variables: [:])
        #expect(await added.end(within: .hangLimit) == .exited(0), "\(added.lines)")
        let words =
            try ["apps", "connect", "apns"] + apple.option("--key-file", field: "key_file")
            + apple.option("--topic", field: "topic") + apple.option("--key-id", field: "key_id")
            + apple.option("--team-id", field: "team_id")
        let away = apple.variables.merging([
            "CARILLON_APNS_PORT": "\(FreePort.next())", "CARILLON_APNS_REQUEST_LIMIT": "1s",
        ]) { $1 }
        let connect = try carillon(words, variables: away)
        #expect(await connect.end(within: .hangLimit) == .exited(0), "\(connect.lines)")
        #expect(
            connect.lines.contains { $0.hasPrefix("warning: Apple was not asked about the key: ") }, "\(connect.lines)")
        #expect(access(folder.file("data/secrets/apns"), F_OK) == 0)
        apple.process.signal(SIGTERM)
        #expect(await apple.process.end(within: .hangLimit) == .exited(0))
    }
}
