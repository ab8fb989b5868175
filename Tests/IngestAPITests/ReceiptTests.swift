import Apps
import Bus
import JSONKit
import PushModel
import ServiceKit
import Signing
import TaskModel
import TestSupport
import Testing
import Topics

@testable import IngestAPI

/// `POST /v1/receipts`: each receipt is proven or refused by itself, and accepted once it is durable.
@Suite struct ReceiptTests {
    private static let device = DeviceID(index: DeviceIndex(rawValue: 4_100), tag: 77)

    /// A task of `news`, accepted by the API, and the proof that its push carries to a device.
    private struct SentPush {
        let task: TaskID
        let day: UInt16
        let key: TaskReceiptKey

        init(_ fixture: IngestFixture) async throws {
            let response = await fixture.json("POST", "/v1/tasks", json: TaskCreationTests.small, as: .publisher)
            try #require(response.status == 201, "\(response.text)")
            let task = try #require(fixture.bus.tasks.last)
            self.task = task.id
            day = ReceiptProof.day(of: task.begins)
            key = try #require(task.receiptKey)
        }

        func proof(of device: DeviceID = device, day: UInt16? = nil) -> ReceiptProof {
            ReceiptProver(key).proof(of: device, on: .ios, day: day ?? self.day)
        }

        /// The receipt as an app writes it.
        func receipt(
            _ kind: String = "opened", of device: DeviceID = device, proof: ReceiptProof? = nil, more: String = ""
        ) -> String {
            let proof = proof ?? self.proof(of: device)
            return #"{"task":"\#(task)","device":"\#(device)","proof":"\#(proof)","kind":"\#(kind)"\#(more)}"#
        }
    }

    private func post(
        _ receipts: [String], fixture: IngestFixture, as key: IngestFixture.Key = .news, path: String = "/v1/receipts"
    ) async -> RawClient.Response {
        await fixture.json("POST", path, json: #"{"receipts":[\#(receipts.joined(separator: ","))]}"#, as: key)
    }

    private func batches(_ fixture: IngestFixture) throws -> [ReceiptBatch] {
        try fixture.bus.sent.filter { $0.channel == Topics.receipts.channel }.map {
            try ReceiptBatch(decoding: $0.value)
        }
    }

    private func reasons(_ response: RawClient.Response) -> [String] {
        (response.json["refused"]?.elements ?? []).map { refusal in
            "\(refusal["index"]?.compactText ?? "") \(refusal["reason"]?.text ?? "")"
        }
    }

    @Test func aProvenReceiptIsOnTheBus() async throws {
        try await IngestFixture.run { fixture in
            let push = try await SentPush(fixture)
            // The test's clock is at the beginning of a day.
            fixture.time.advance(by: .seconds(60))
            let more = #","action":"reply","at":"\#(fixture.time.now + .seconds(-1))""#
            let response = await post([push.receipt("action", more: more), push.receipt()], fixture: fixture)
            #expect(response.status == 202 && response.json["accepted"] == .integer(2), "\(response.text)")
            #expect(response.json["refused"]?.elements?.isEmpty == true)
            let batch = try #require(try batches(fixture).first)
            #expect(batch.task == push.task && batch.app == fixture.news && batch.day == push.day)
            #expect(batch.receipts.map(\.kind) == [.action, .opened] && batch.receipts.map(\.action) == ["reply", ""])
            #expect(batch.receipts.map(\.time) == [fixture.time.now + .seconds(-1), fixture.time.now])
            #expect(fixture.bus.sent.last?.key == Array("\(push.task)".utf8))
            #expect(fixture.metrics.counter(.ingestReceiptsAccepted).value == 2)
        }
    }

    /// One bad receipt takes none of the others with it.
    @Test func eachReceiptIsRefusedByItself() async throws {
        try await IngestFixture.run { fixture in
            let push = try await SentPush(fixture)
            let other = DeviceID(index: DeviceIndex(rawValue: 4_101), tag: 77)
            let response = await post(
                [
                    push.receipt(proof: push.proof(of: other)), push.receipt(), "7",
                    push.receipt(proof: ReceiptProof(day: push.day, code: push.proof().code ^ 1)),
                    push.receipt("read"), push.receipt(more: #","action":"x""#), push.receipt("action"),
                    push.receipt("action", more: #","action":"a/b""#), push.receipt(more: #","seen":1"#),
                    push.receipt(of: other),
                ], fixture: fixture)
            #expect(response.status == 202 && response.json["accepted"] == .integer(2), "\(response.text)")
            #expect(
                reasons(response) == [
                    "0 forged", "2 malformed", "3 forged", "4 malformed", "5 malformed", "6 malformed", "7 malformed",
                    "8 malformed",
                ])
            #expect(response.text.contains("kind: expected one of delivered, opened, dismissed, action"))
            #expect(try batches(fixture).flatMap(\.receipts).map(\.device) == [Self.device, other])
            #expect(fixture.metrics.counter(.ingestReceiptsRefused, labels: ["reason": "forged"]).value == 2)
        }
    }

    /// A key of another app proves nothing here, and a proof of this app proves nothing there.
    @Test func aForeignAppIsRefused() async throws {
        try await IngestFixture.run { fixture in
            let push = try await SentPush(fixture)
            #expect(reasons(await post([push.receipt()], fixture: fixture, as: .shop)) == ["0 forged"])
            #expect(
                await post([push.receipt()], fixture: fixture, as: .shop, path: "/apps/news/v1/receipts").status == 404)
            #expect(await post([push.receipt()], fixture: fixture, as: .publisher).status == 403)
            #expect(try batches(fixture).isEmpty)
        }
    }

    /// The day of a proof is signed, so it can be trusted.
    @Test func aReceiptIsAcceptedForThirtyDays() async throws {
        try await IngestFixture.run { fixture in
            let push = try await SentPush(fixture)
            let tomorrow = push.proof(day: push.day + 1)
            #expect(reasons(await post([push.receipt(proof: tomorrow)], fixture: fixture)) == ["0 early"])
            let end = ReceiptProof.begin(of: push.day + 31)
            fixture.time.advance(by: end - fixture.time.now + .milliseconds(-1))
            #expect(await post([push.receipt()], fixture: fixture).json["accepted"] == .integer(1))
            fixture.time.advance(by: .milliseconds(1))
            #expect(reasons(await post([push.receipt()], fixture: fixture)) == ["0 late"])
        }
    }

    /// A device's clock may be wrong.
    @Test func timesAreCutToThoseThatArePossible() async throws {
        try await IngestFixture.run { fixture in
            let push = try await SentPush(fixture)
            let times = ["1999-01-01T00:00:00Z", "2199-01-01T00:00:00Z"]
            _ = await post(times.map { push.receipt(more: #","at":"\#($0)""#) }, fixture: fixture)
            let expected = [ReceiptProof.begin(of: push.day), fixture.time.now]
            #expect(try batches(fixture).flatMap(\.receipts).map(\.time) == expected)
        }
    }

    @Test func aRequestHasItsBounds() async throws {
        try await IngestFixture.run { fixture in
            let push = try await SentPush(fixture)
            let devices = (0..<501).map { DeviceID(index: DeviceIndex(rawValue: $0), tag: 1) }
            let receipts = devices.map { push.receipt(of: $0) }
            let most = await post(Array(receipts.prefix(500)), fixture: fixture)
            #expect(most.status == 202 && most.json["accepted"] == .integer(500), "\(most.text)")
            #expect(try batches(fixture).map(\.receipts.count) == [500])
            #expect(await post(receipts, fixture: fixture).status == 400)
            #expect(await post([], fixture: fixture).status == 400)
            #expect(await fixture.json("POST", "/v1/receipts", json: "{}").status == 400)
            #expect(await fixture.json("POST", "/v1/receipts", json: #"{"receipts":[1],"x":1}"#).status == 400)
            #expect(await fixture.json("POST", "/v1/receipts", json: "[").status == 400)
            let long = #"{"receipts":["\#(String(repeating: "x", count: 512 << 10))"]}"#
            #expect(await fixture.json("POST", "/v1/receipts", json: long).status == 413)
        }
    }

    /// The longest receipts of a request fit into one message.
    @Test func theLongestReceiptsFitIntoAMessage() throws {
        let receipts = (0..<UInt32(ReceiptBatch.receiptsMaximum)).map { number in
            DeviceReceipt(
                device: DeviceID(index: DeviceIndex(rawValue: number), tag: number), on: .android, kind: .action,
                action: String(repeating: "a", count: DeviceReceipt.actionBytesMaximum),
                time: Timestamp(milliseconds: 253_402_300_799_999))
        }
        let batch = ReceiptBatch(
            task: TaskID(high: 1, low: 2), app: try AppID("news"), day: 1, time: Timestamp(milliseconds: 0),
            receipts: receipts)
        #expect(batch.encoded().count < Topics.messageBytesMaximum)
    }

    @Test func withoutABusOrRoomNothingIsAccepted() async throws {
        try await IngestFixture.run { fixture in
            let push = try await SentPush(fixture)
            fixture.bus.fail(with: BusError(.unavailable, message: "away"))
            let response = await post([push.receipt()], fixture: fixture)
            #expect(response.status == 503 && response.detail?.contains("counted once") == true, "\(response.text)")
            fixture.bus.fail(with: nil)
            fixture.percentUsed.change { $0 = 62 }
            #expect(await post([push.receipt()], fixture: fixture).status == 503)
            fixture.bus.fail(with: BusError(.full, message: "full"))
            fixture.percentUsed.change { $0 = 61 }
            #expect(await post([push.receipt()], fixture: fixture).status == 503)
            #expect(fixture.metrics.counter(.ingestReceiptsAccepted).value == 0)
            for (reason, count) in [("unavailable", 1), ("full", 2)] {
                #expect(fixture.metrics.counter(.ingestReceiptsRefused, labels: ["reason": reason]).value == count)
            }
            fixture.bus.fail(with: nil)
            #expect(await post([push.receipt()], fixture: fixture).status == 202)
        }
    }
}
