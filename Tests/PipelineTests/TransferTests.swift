import JSONKit
import PushModel
import TestSupport
import Testing

/// Goal: AppMetrica's clients can move to this pipeline: each device of a transfer gets the message of its element, also
/// when it is retried, and the status tells what became of all. Method: two transfers of one group, one of them so long
/// that its parts travel apart from single pushes; most of its ids are unknown, and Apple refuses the first pushes.
@Suite(.timeLimit(.minutes(10))) struct TransferTests {
    private static let refused = 40
    private static let refusal = "ServiceUnavailable"

    @Test(arguments: Harness.BusKind.allCases)
    func eachDeviceGetsTheMessageOfItsElement(_ bus: Harness.BusKind) async throws {
        let harness = try await Harness(bus)
        let devices = (0..<120).map { TestDevice($0, kind: .apns, topics: []) }
        _ = try await harness.ingest.register(devices)
        let (reason, count) = (TransferTests.refusal, TransferTests.refused)
        let fault = #"{"provider":"apns","kind":"answer","status":503,"reason":"\#(reason)","next":\#(count)}"#
        #expect(try await harness.simulator.admin("POST", "/faults", body: fault).status == 201)
        let group = try await createGroup(harness.ingest)
        let unknown = (1_000..<2_080).map { TestDevice($0, kind: .apns, topics: []) }
        let few = try body("few", to: devices, group: group, clientID: 1)
        let many = try body("many", to: devices + unknown, group: group, clientID: 2)
        let transfers = [try await send(few, harness.ingest), try await send(many, harness.ingest)]
        for (transfer, unmatched) in zip(transfers, [0, unknown.count]) {
            let status = try await end(of: transfer, harness: harness)
            #expect(status["status"]?.text == "sent")
            #expect(status["counts"]?["targeted"] == .integer(Int64(devices.count)))
            #expect(status["counts"]?["delivered"] == .integer(Int64(devices.count)))
            #expect(status["unmatched"] == .integer(Int64(unmatched)))
        }
        #expect(try await harness.faults(TransferTests.refusal) == TransferTests.refused)
        try await expectMessages(of: devices, named: ["few", "many"], harness: harness)

        // A client repeats what it got no answer to.
        #expect(try await send(many, harness.ingest) == transfers[1])
        #expect(try await harness.delivered() == 2 * devices.count)
        try await harness.close()
    }

    private func createGroup(_ ingest: IngestClient) async throws -> Int64 {
        let group = #"{"group":{"app_id":\#(Harness.appMetricaID),"name":"orders","send_rate":5000}}"#
        let response = try await ingest.send("POST", "/push/v1/management/groups", body: group)
        guard response.status == 200, case .integer(let id) = try JSON(response.body)["group"]?["id"] else {
            throw SetupError(description: "no group: \(response.status) \(response.text)")
        }
        return id
    }

    /// An element for each device, with a message of its own.
    private func body(_ name: String, to devices: [TestDevice], group: Int64, clientID: Int) throws -> String {
        let elements = devices.enumerated().map { number, device in
            """
            {"messages":{"iOS":{"content":{"title":"Order","text":"\(name) \(number)"}}},\
            "devices":[{"id_type":"ios_push_token","id_values":["\(device.token)"]}]}
            """
        }
        return """
            {"push_batch_request":{"group_id":\(group),"client_transfer_id":\(clientID),"tag":"orders",\
            "batch":[\(elements.joined(separator: ","))]}}
            """
    }

    private func send(_ body: String, _ ingest: IngestClient) async throws -> Int64 {
        let response = try await ingest.send("POST", "/push/v1/send-batch", body: body)
        guard response.status == 200,
            case .integer(let id) = try JSON(response.body)["push_response"]?["transfer_id"]
        else { throw SetupError(description: "not accepted: \(response.status) \(response.text)") }
        return id
    }

    /// The status once every device has an outcome.
    private func end(of transfer: Int64, harness: Harness) async throws -> JSON {
        var status = try await self.status(transfer, harness.ingest)
        for task in try #require(status["tasks"]?.elements).compactMap(\.text) {
            let id = try #require(TaskID(task))
            _ = try #require(await harness.reports.report(of: id), "\(harness.lines)")
        }
        try await waitUntil {
            status = try await self.status(transfer, harness.ingest)
            return ["sent", "failed"].contains(status["status"]?.text)
        }
        return status
    }

    private func status(_ transfer: Int64, _ ingest: IngestClient) async throws -> JSON {
        let response = try await ingest.send("GET", "/push/v1/status/\(transfer)")
        return try #require(try JSON(response.body)["transfer"], "\(response.status) \(response.text)")
    }

    private func expectMessages(of devices: [TestDevice], named names: [String], harness: Harness) async throws {
        let answer = try await harness.simulator.admin("GET", "/pushes/apns?limit=1000")
        let pushes = try #require(try JSON(answer.body).elements)
        for (number, device) in devices.enumerated() {
            let own = pushes.filter { $0["path"]?.text?.hasSuffix(device.token) == true }
            let bodies = own.compactMap { $0["body"]?["aps"]?["alert"]?["body"]?.text }
            #expect(Set(bodies) == Set(names.map { "\($0) \(number)" }))
        }
    }
}
