import Bus
import JSONKit
import PushModel
import ServiceKit
import TestSupport
import Testing
import Topics

/// Goal: topics that others read match their documents. Method: pushes through all services on Kafka, some to dead
/// tokens, one to a list in parts, one that is reported as opened, and an undecodable message; then kcat and Python,
/// without Carillon code.
@Suite(.timeLimit(.minutes(10))) struct ContractTests {
    private static let users = (0..<500).map { "\"user-\($0)\"" }.joined(separator: ",")

    @Test(.enabled(if: SourceTree.hasExecutable(".venv/bin/python"))) func othersReadWhatIsPromised() async throws {
        let harness = try await Harness(.kafka)
        let dead = (0..<10).map { TestDevice(1_000 + $0, kind: .fcm, word: "unregistered") }
        // Rejections of a provider that accepts nothing are not trusted, so most of Google's tokens are valid.
        _ = try await harness.ingest.register(dead + (2_000..<2_050).map { TestDevice($0, kind: .fcm) })
        let ids = try await harness.ingest.register((0..<90).map { TestDevice($0, kind: .apns, user: "user-\($0)") })
        var reports = [try await push(#"{"users":["user-0"],"message":{"body":"x"}}"#, harness: harness)]
        try await open(reports[0].task, on: ids[0], harness: harness)
        reports.append(try await push(#"{"users":[\#(Self.users)],"message":{"body":"x"}}"#, harness: harness))
        // A device rejected in the second of its registration is kept, and is rejected again.
        while try await harness.messages(on: Topics.feedback.channel).isEmpty {
            reports.append(try await push(#"{"audience":{"topic":"news"},"message":{"body":"x"}}"#, harness: harness))
        }
        try await harness.send([
            OutgoingMessage(channel: Topics.audience.channel(.fast), key: nil, value: Array("no chunk".utf8))
        ])
        try await waitUntil { try await !harness.messages(on: Topics.dead.channel).isEmpty }
        try await tellAgain(reports.map(\.targeted).reduce(0, +), harness: harness)

        #expect(try await sampleOutput(harness) == reports.map(line).sorted())
        let topics =
            "for topic in results reports feedback receipts events tasks dead; do kcat -C -b $BROKERS -t $topic -e -q -J; done"
        let check = "'\(SourceTree.path(".venv/bin/python"))' '\(SourceTree.path(".ci/check-contracts"))' messages"
        #expect(try await run("(\(topics)) | \(check)", harness: harness) == [])
        try await harness.close()
    }

    private func push(_ task: String, harness: Harness) async throws -> TaskReport {
        let id = try await harness.ingest.post(task)
        return try #require(await harness.reports.report(of: id), "\(harness.lines)")
    }

    /// Reports the last push as opened.
    private func open(_ task: TaskID, on device: String, harness: Harness) async throws {
        let proof = try #require(try await harness.dataOfLastPush(of: .apns)["task_proof"]?.text)
        let response = try await harness.ingest.send(
            "POST", "/apps/news/v1/receipts",
            body: #"{"receipts":[{"task":"\#(task)","device":"\#(device)","proof":"\#(proof)","kind":"opened"}]}"#)
        #expect(response.status == 202 && response.text.contains("\"accepted\":1"), "\(response.text)")
    }

    /// Waits until this many devices have a result, which may follow the report, and sends all results again.
    private func tellAgain(_ count: Int, harness: Harness) async throws {
        var results = try await ResultReader(harness.bus)
        #expect(try await results.read(count))
        await results.close()
        let sent = try await harness.messages(on: Topics.results.channel)
        try await harness.send(
            sent.map {
                OutgoingMessage(
                    channel: Topics.results.channel, key: $0.key, value: $0.value, headers: $0.headers)
            })
    }

    /// Output of the program in `docs/analytics.md`, started as the page describes.
    private func sampleOutput(_ harness: Harness) async throws -> [String] {
        let page = try #require(SourceTree.text("docs/analytics.md"))
        let section = String(try #require(page.split(separator: "\n## ").first { $0.hasPrefix("A program\n") }))
        let folder = TemporaryDirectory("analytics")
        folder.write("outcomes.py", content: try #require(MarkdownCode.blocks("python", inPage: section).first))
        let command = try #require(MarkdownCode.blocks("sh", inPage: section).first)
        return try await run("cd '\(folder.path)' && \(command)", harness: harness)
    }

    private func line(_ report: TaskReport) -> String {
        let states = DeliveryState.allCases.filter { $0.isTerminal && report[$0] > 0 }
        return ([report.task.description] + states.map { "\($0.name)=\(report[$0])" }.sorted()).joined(separator: " ")
    }

    private func run(_ script: String, harness: Harness) async throws -> [String] {
        var environment = EnvironmentReader.processEnvironment()
        environment["BROKERS"] = harness.brokers
        let shell = try ChildProcess("/bin/sh", arguments: ["-c", script], environment: environment)
        #expect(await shell.end(within: .hangLimit) == .exited(0), "\(shell.lines)")
        return shell.lines
    }
}
