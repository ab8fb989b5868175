import CommandKit
import RedisClient
import ServiceKit
import TestSupport
import Testing
import Topics

@testable import Carillon

@Suite(.timeLimit(.minutes(5))) struct RebuildCommandTests {
    private let terminal = RecordedTerminal()

    private func run(_ words: String..., variables: [String: String] = [:]) async -> Int32 {
        await CommandTree.carillon.run(words, in: CommandContext(terminal: terminal, variables: variables))
    }

    @Test func onTheEmbeddedBusThereIsNothingToRebuildFrom() async {
        #expect(await run("rebuild", "--bus", "redis://127.0.0.1:1") == 64)
        #expect(terminal.complaints.first?.contains("its append-only file are the source of truth") == true)
        #expect(terminal.printed.isEmpty)
    }

    /// Goal: an empty Redis is filled without confirmation, a ready one only with it.
    @Test func aRegistryThatWorksIsNotThrownAwayBySlip() async throws {
        let kafka = try await KafkaMockServer(brokers: 1)
        for channel in Topics.all.flatMap(\.channels) { try await kafka.perform("create topic \(channel.name) 1") }
        let redis = try await RedisServer()
        let variables = [
            "CARILLON_BUS": kafka.url, "CARILLON_REDIS": redis.url, "CARILLON_KAFKA_FETCH_WAIT_MAX_MS": "10",
        ]
        #expect(await run("rebuild", variables: variables) == 0)
        #expect(terminal.printed.first == "the registry is ready: 0 devices in 0 segments of 0 apps")
        #expect(terminal.printed.contains { $0.hasPrefix("not in the log: pushes counted") })
        #expect(
            terminal.printed.last
                == "tasks recovered: 0 closed, with 0 known outcomes and 0 unknown; 0 to be resolved; "
                + "0 reports of closed tasks, and 0 added to the statistics; 0 receipts counted; 0 scheduled for later"
        )
        #expect(await run("rebuild", variables: variables) == 64)
        #expect(terminal.complaints.last?.contains("use --yes to rebuild it without confirmation") == true)
        #expect(await run("rebuild", "--yes", variables: variables) == 0)

        let cautious = RecordedTerminal(answer: false)
        let context = CommandContext(terminal: cautious, variables: variables)
        #expect(await CommandTree.carillon.run(["rebuild"], in: context) == 1)
        #expect(cautious.questions.count == 1)
        #expect(cautious.complaints == ["nothing was rebuilt"])
    }
}
