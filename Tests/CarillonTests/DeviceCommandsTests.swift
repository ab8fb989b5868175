import CommandKit
import HTTPServer
import TestSupport
import Testing

@testable import Carillon

/// The commands about devices and users, against a server that responds as documented.
@Suite(.timeLimit(.minutes(3))) struct DeviceCommandsTests {
    private static let device = """
        {"id":"J8lHY4X1XkU","protocol":"apns","token":"fe66489f304dc75b8d6e","user":"a/b","identifiers":{"hwid":"h"},
        "language":"fi","topics":[{"name":"news","silent":false},{"name":"sport","silent":true}],
        "updated":"2026-01-31T12:00:00Z"}
        """
    private static let devices = HTTPResponse.json("{\"devices\":[\(device)]}")
    private static let account = """
        "user":"a/b","devices_removed":2,"tasks_cancelled":1,
        "stays":[{"what":"outcomes","where":"Redis","until":"8 days"}]
        """

    private let terminal = RecordedTerminal()

    private func run(_ words: String..., at server: TaskServer, on terminal: RecordedTerminal? = nil) async -> Int32 {
        let variables = ["CARILLON_URL": server.url, "CARILLON_KEY": "ck_1_secret"]
        return await CommandTree.carillon.run(
            words, in: CommandContext(terminal: terminal ?? self.terminal, variables: variables))
    }

    @Test func listsFindDevices() async throws {
        try await TaskServer.with([Self.devices]) { server in
            #expect(await run("devices", "list", "--user", "a/b", at: server) == 0)
            #expect(await run("users", "show", "a/b", at: server) == 0)
            #expect(await run("devices", "list", "--token", "x:y", "--protocol", "fcm", at: server) == 0)
            #expect(
                server.requests.map(\.target) == [
                    "GET /v1/users/a%2Fb/devices", "GET /v1/users/a%2Fb/devices",
                    "GET /v1/devices?token=x%3Ay&protocol=fcm",
                ])
            let rows = terminal.printed.map { $0.split(separator: " ").joined(separator: " ") }
            #expect(rows[0] == "DEVICE PROTOCOL USER LANGUAGE APP UPDATED TOKEN")
            #expect(rows[1].hasPrefix("J8lHY4X1XkU apns a/b fi 2026-01-31T12:00:00Z fe66489f30"))
            #expect(!rows[1].contains("fe66489f304dc75b8d6e"), "a token is abbreviated")
        }
        try await TaskServer.with([.json(#"{"devices":[]}"#)]) { server in
            #expect(await run("users", "show", "..", at: server) == 0)
            #expect(server.requests.map(\.target) == ["GET /v1/users/../devices"])
            #expect(terminal.printed.last == "no devices")
        }
    }

    @Test func aDeviceIsShownAndRemoved() async throws {
        try await TaskServer.with([.json(Self.device), .json(Self.device), HTTPResponse(.noContent)]) { server in
            #expect(await run("devices", "show", "J8lHY4X1XkU", at: server) == 0)
            let rows = terminal.printed.map { $0.split(separator: " ").joined(separator: " ") }
            #expect(rows.contains("user a/b") && rows.contains("topics news") && rows.contains("sport, silent"))
            #expect(await run("devices", "show", "J8lHY4X1XkU", "--json", at: server) == 0)
            #expect(terminal.printed.last?.hasPrefix(#"{"id":"J8lHY4X1XkU","protocol""#) == true)
            #expect(await run("devices", "remove", "J8lHY4X1XkU", at: server) == 0)
            #expect(terminal.printed.last == "J8lHY4X1XkU is removed")
            #expect(server.requests.last?.target == "DELETE /v1/devices/J8lHY4X1XkU")
        }
    }

    @Test func anUnknownDeviceIsNamed() async throws {
        try await TaskServer.with([Problem(.notFound, detail: "The app has no device.").response()]) { server in
            #expect(await run("devices", "remove", "x", at: server) == 1)
            #expect(terminal.complaints == ["carillon: \(server.url) responded with 404: The app has no device."])
        }
    }

    @Test(arguments: [(true, "true", Int32(0)), (true, "false", 1), (false, "true", 0)])
    func aRemovedUserIsAccountedFor(isAsked: Bool, isComplete: String, code: Int32) async throws {
        let terminal = RecordedTerminal(answer: true)
        try await TaskServer.with([.json("{\(Self.account),\"complete\":\(isComplete)}")]) { server in
            let words = isAsked ? [] : ["--yes"]
            let context = CommandContext(terminal: terminal, variables: ["CARILLON_URL": server.url])
            #expect(await CommandTree.carillon.run(["users", "remove", "a/b"] + words, in: context) == code)
            #expect(terminal.questions.count == (isAsked ? 1 : 0))
            #expect(server.requests.map(\.target) == ["DELETE /v1/users/a%2Fb"])
            let rows = terminal.printed.map { $0.split(separator: " ").joined(separator: " ") }
            #expect(
                rows == [
                    "devices removed 2", "tasks cancelled 1", "stays: outcomes", "where: Redis", "until: 8 days",
                ])
        }
    }

    @Test func withoutAnAnswerNothingIsRemoved() async throws {
        try await TaskServer.with([.json("{}")]) { server in
            #expect(await run("users", "remove", "ada", at: server) == 64)
            #expect(terminal.complaints.last?.contains("--yes") == true)
            let unwilling = RecordedTerminal(answer: false)
            #expect(await run("users", "remove", "ada", at: server, on: unwilling) == 1)
            #expect(unwilling.complaints == ["nothing was removed"])
            #expect(server.requests.isEmpty)
        }
    }

    @Test(arguments: [
        (["devices", "list"], "expected --user USER, or --token TOKEN and --protocol PROTOCOL"),
        (["devices", "list", "--token", "x"], "expected --user USER, or --token TOKEN and --protocol PROTOCOL"),
        (["devices", "list", "--user", "a", "--protocol", "apns"], "expected --user USER, or"),
        (["devices", "show"], "expected one device id"), (["users", "remove", "a", "b"], "expected one user id"),
    ])
    func wrongWordsAreNamed(_ words: [String], sentence: String) async {
        let code = await CommandTree.carillon.run(words, in: CommandContext(terminal: terminal, variables: [:]))
        #expect(code == 64)
        #expect(terminal.complaints.first?.contains(sentence) == true, "\(terminal.complaints)")
    }
}
