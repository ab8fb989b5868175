import Glibc
import ServiceKit
import TestSupport
import Testing

/// From the simulator to a provider with a key of one's own. A second simulator plays Apple: the pipeline's own one
/// does not know its key.
@Suite(.timeLimit(.minutes(10))) struct ConnectTests {
    private let folder = TemporaryDirectory("connect")

    private func carillon(_ words: [String], variables: [String: String]) throws -> ChildProcess {
        let environment = EnvironmentReader.processEnvironment().merging(variables) { $1 }
        return try ChildProcess(
            builtExecutable("carillon"), arguments: words + ["--data", folder.file("data")], environment: environment)
    }

    @Test func aKeyIsTriedStoredAndUsedWhileThePipelineRuns() async throws {
        let apple = try await PlayedApple(in: folder)
        let up = try carillon(["up", "--simulator", "--json"], variables: apple.variables)
        _ = try #require(await up.line(within: .hangLimit) { $0.hasPrefix("{\"ready\":true") }, "\(up.lines)")
        let app = folder.file("data/apps/demo.json")
        let before = SmallFile.read(app, bytesMaximum: 1 << 16)
        let key =
            try ["--key-file", apple.value("key_file")] + ["--topic", apple.value("topic")]
            + ["--key-id", apple.value("key_id")]

        let wrong = try carillon(
            ["apps", "connect", "apns"] + key + ["--team-id", "WRONGTEAM0"], variables: apple.variables)
        #expect(await wrong.end(within: .hangLimit) == .exited(1), "\(wrong.lines)")
        #expect(
            wrong.lines.contains { $0.contains("Apple refuses the key: status 403, InvalidProviderToken") },
            "\(wrong.lines)")
        #expect(SmallFile.read(app, bytesMaximum: 1 << 16) == before)

        let right = try carillon(
            ["apps", "connect", "apns"] + key + ["--team-id", apple.value("team_id")], variables: apple.variables)
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
        await apple.end()
    }

    /// A provider that cannot be reached, as on a machine without a way out, does not keep the key from being stored.
    @Test func aProviderThatIsAwayDoesNotRefuse() async throws {
        let apple = try await PlayedApple(in: folder)
        let added = try carillon(["apps", "add", "news"], variables: [:])
        #expect(await added.end(within: .hangLimit) == .exited(0), "\(added.lines)")
        let words =
            try ["apps", "connect", "apns"] + ["--key-file", apple.value("key_file")]
            + ["--topic", apple.value("topic")] + ["--key-id", apple.value("key_id")]
            + ["--team-id", apple.value("team_id")]
        let away = apple.variables.merging([
            "CARILLON_APNS_PORT": "\(FreePort.next())", "CARILLON_APNS_REQUEST_LIMIT": "1s",
        ]) { $1 }
        let connect = try carillon(words, variables: away)
        #expect(await connect.end(within: .hangLimit) == .exited(0), "\(connect.lines)")
        #expect(
            connect.lines.contains { $0.hasPrefix("warning: Apple was not asked about the key: ") }, "\(connect.lines)")
        #expect(access(folder.file("data/secrets/apns"), F_OK) == 0)
        await apple.end()
    }
}
