import Bus
import JSONKit
import PushModel
import ServiceKit
import TestSupport
import Testing
import Topics

/// What an app reports about a push, as seen from outside.
@Suite(.timeLimit(.minutes(10))) struct ReceiptTests {
    private static let kinds: [PushProtocol] = [.apns, .fcm, .huawei]

    /// Goal: an app finds in a push of each provider what it needs, and a push that it reports twice counts once.
    /// Method: the pushes are read from the simulator; the reporter is killed between the two reports.
    @Test(arguments: Harness.BusKind.allCases)
    func anOpenedPushIsCountedOnce(_ bus: Harness.BusKind) async throws {
        let harness = try await Harness(bus)
        let devices = Self.kinds.enumerated().map { number, kind in
            TestDevice(number, kind: kind, topics: [], user: "reader")
        }
        let ids = try await harness.ingest.register(devices)
        let task = try await harness.ingest.post(
            #"{"users":["reader"],"message":{"title":"Hello","data":{"k":"v"}},"labels":{"campaign":"spring"}}"#)
        let report = try #require(await harness.reports.report(of: task), "\(harness.lines)")
        #expect(report[.delivered] == 3)
        var receipts: [String] = []
        for (kind, device) in zip(Self.kinds, ids) {
            let data = try await harness.dataOfLastPush(of: kind)
            #expect(data["task_id"] == .string("\(task)"))
            let proof = try #require(data["task_proof"]?.text, "\(kind)")
            receipts.append(#"{"task":"\#(task)","device":"\#(device)","proof":"\#(proof)","kind":"opened"}"#)
        }
        try await tell(receipts, harness: harness)
        try await opened(3, of: task, harness: harness)
        try await harness.killAndRestart("reporter")
        try await tell(receipts, harness: harness)
        let other = receipts[0].replacing("opened", with: "dismissed")
        try await tell([other], harness: harness)
        try await waitUntil { try await counts(of: task, harness: harness)["dismissed"] == .integer(1) }
        try await opened(3, of: task, harness: harness)
        let paths = try await harness.messages(on: Topics.receipts.channel).flatMap {
            try ReceiptBatch(decoding: $0.value).receipts.map(\.path)
        }
        #expect(paths.count == 7 && Set(paths).count == 4)
        #expect(try await statistics("by=platform", harness: harness) == ["android 2 2 0", "ios 1 1 1"])
        #expect(try await statistics("by=label&name=campaign", harness: harness) == ["spring 3 3 1"])
        try await harness.close()
    }

    private func tell(_ receipts: [String], harness: Harness) async throws {
        let body = #"{"receipts":[\#(receipts.joined(separator: ","))]}"#
        let response = try await harness.ingest.send("POST", "/apps/news/v1/receipts", body: body)
        #expect(response.status == 202 && response.text.contains("\"accepted\":\(receipts.count)"), "\(response.text)")
    }

    private func counts(of task: TaskID, harness: Harness) async throws -> JSON {
        try #require(try await harness.ingest.task(task)["receipts"])
    }

    /// Of each row the value, and how many devices were sent to, opened the push and dismissed it.
    private func statistics(_ query: String, harness: Harness) async throws -> [String] {
        let response = try await harness.ingest.send("GET", "/apps/news/v1/statistics?\(query)")
        let rows = try JSON(response.body)["rows"]?.elements ?? []
        return rows.map { row in
            let figures = [
                row["counts"]?["delivered"], row["receipts"]?["opened"], row["receipts"]?["dismissed"],
            ]
            return ([row["value"]?.text ?? "–"] + figures.map { $0?.compactText ?? "–" }).joined(separator: " ")
        }
    }

    private func opened(_ count: Int, of task: TaskID, harness: Harness) async throws {
        try await waitUntil {
            try await counts(of: task, harness: harness)["opened"] == .integer(Int64(count))
        }
    }
}
