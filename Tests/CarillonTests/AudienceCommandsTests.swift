import CommandKit
import HTTPServer
import TestSupport
import Testing

@testable import Carillon

/// The commands about saved audiences, against a server that responds as documented.
@Suite(.timeLimit(.minutes(3))) struct AudienceCommandsTests {
    private let terminal = RecordedTerminal()

    private func run(_ words: String..., at server: TaskServer) async -> Int32 {
        let variables = ["CARILLON_URL": server.url, "CARILLON_KEY": "ck_1_secret"]
        return await CommandTree.carillon.run(
            words, in: CommandContext(terminal: terminal, variables: variables))
    }

    private let saved = HTTPResponse.json(#"{"name":"vip","audience":{"topic":"a"}}"#)

    @Test func audiencesAreSavedShownAndRemoved() async throws {
        try await TaskServer.with([saved, saved, HTTPResponse(.noContent)]) { server in
            #expect(await run("audiences", "save", "vip", #"{"topic": "a"}"#, at: server) == 0)
            #expect(await run("audiences", "show", "vip", at: server) == 0)
            #expect(await run("audiences", "remove", "../x", at: server) == 0)
            #expect(
                server.requests.map(\.target) == [
                    "PUT /v1/audiences/vip", "GET /v1/audiences/vip", "DELETE /v1/audiences/..%2Fx",
                ])
            #expect(server.requests[0].body == #"{"topic":"a"}"#)
            #expect(terminal.printed[1] == #"{"topic":"a"}"#)
        }
    }

    @Test func audiencesAreListedWithTheirMeaning() async throws {
        try await TaskServer.with([.json(#"{"audiences":["vip"]}"#), saved, .json(#"{"audiences":[]}"#)]) { server in
            #expect(await run("audiences", at: server) == 0)
            let rows = terminal.printed.flatMap { $0.split(separator: "\n") }
            #expect(rows.last?.split(separator: " ").map(String.init) == ["vip", #"{"topic":"a"}"#])
            #expect(await run("audiences", at: server) == 0)
            #expect(terminal.printed.last == "no saved audiences")
        }
    }

    @Test func devicesAreCounted() async throws {
        let counts = HTTPResponse.json(#"{"devices":7,"platforms":{"ios":3,"android":4}}"#)
        try await TaskServer.with([counts]) { server in
            #expect(await run("audiences", "count", "vip", at: server) == 0)
            #expect(await run("audiences", "count", #"{"user": true}"#, "--json", at: server) == 0)
            #expect(
                server.requests.map(\.body) == [#"{"audience":{"audience":"vip"}}"#, #"{"audience":{"user":true}}"#])
            let words = terminal.printed.dropLast().joined(separator: "\n").split { $0.isWhitespace }
            #expect(words.map(String.init) == ["devices", "7", "ios", "3", "android", "4"])
            #expect(terminal.printed.last == #"{"devices":7,"platforms":{"ios":3,"android":4}}"#)
        }
    }
}
