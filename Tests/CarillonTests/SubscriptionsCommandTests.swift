import CommandKit
import HTTPServer
import TestSupport
import Testing

@testable import Carillon

/// The commands about topics that devices subscribe to, against a server that responds as documented.
@Suite(.timeLimit(.minutes(3))) struct SubscriptionsCommandTests {
    private let terminal = RecordedTerminal()

    private func run(_ words: String..., at server: TaskServer, on terminal: RecordedTerminal? = nil) async -> Int32 {
        let variables = ["CARILLON_URL": server.url, "CARILLON_KEY": "ck_1_secret"]
        return await CommandTree.carillon.run(
            words, in: CommandContext(terminal: terminal ?? self.terminal, variables: variables))
    }

    @Test func aTopicIsShown() async throws {
        let topic = #"{"topic":"a b","subscribers":3,"created":"2026-01-31T12:00:00Z","publications":0}"#
        try await TaskServer.with([.json(topic), .json(topic)]) { server in
            #expect(await run("subscriptions", "show", "a b", at: server) == 0)
            let rows = terminal.printed.map { $0.split(separator: " ").joined(separator: " ") }
            #expect(rows == ["subscribers 3", "since 2026-01-31T12:00:00Z", "publications 0", "last none"])
            #expect(await run("subscriptions", "show", "a b", "--json", at: server) == 0)
            #expect(terminal.printed.last == topic)
            #expect(server.requests.map(\.target) == ["GET /v1/topics/a%20b", "GET /v1/topics/a%20b"])
        }
    }

    @Test func aPurgeAsksFirst() async throws {
        try await TaskServer.with([HTTPResponse(.noContent), HTTPResponse(.noContent)]) { server in
            let cautious = RecordedTerminal(answer: false)
            #expect(await run("subscriptions", "purge", "sport", at: server, on: cautious) == 1)
            #expect(cautious.complaints == ["nothing was ended"])
            #expect(server.requests.isEmpty)
            #expect(await run("subscriptions", "purge", "sport", at: server, on: RecordedTerminal(answer: true)) == 0)
            #expect(await run("subscriptions", "purge", "sport", "--yes", at: server) == 0)
            #expect(terminal.printed == ["all subscriptions to sport have ended"])
            #expect(server.requests.last?.target == "DELETE /v1/topics/sport")
        }
    }
}
