import JSONKit
import PushModel
import TestSupport
import Testing

/// Goal: the webhook of an app is told what becomes of messages and devices, each once, signed and in order. Method:
/// requests of ContextPush to the whole pipeline; the endpoint fails, then does not answer, and the reporter is killed
/// while it waits for that answer.
@Suite(.timeLimit(.minutes(10))) struct WebhookTests {
    private static let device = TestDevice(1, kind: .apns, topics: [], user: "ada")
    /// Apple has removed it.
    private static let gone = TestDevice(2, kind: .apns, word: "dead0410", topics: [], user: "eve")

    @Test(arguments: Harness.BusKind.allCases)
    func eachStateIsToldOnceAndInOrder(_ bus: Harness.BusKind) async throws {
        let receiver = try WebhookReceiver([.error, .silence])
        let harness = try await Harness(bus, webhook: receiver.url)
        let ids = try await harness.ingest.register([Self.device, Self.gone])
        try await schedule("opened", for: "ada", method: "context_aware", harness)
        // The repeat after the error is not answered.
        try #require(await receiver.hasRequests(2), "\(harness.lines)")
        try await harness.killAndRestart("reporter")

        try await schedule("withdrawn", for: "ada", method: "context_aware", harness)
        let cancel = try await harness.ingest.send(
            "POST", "/v1/campaigns/cancel_message_for_user", body: "{\(members(of: "withdrawn", for: "ada"))}")
        #expect(cancel.text.contains(#""status":"cancelled""#), "\(cancel.text)")
        let moment = try await harness.ingest.send(
            "POST", "/apps/news/v1/moments", body: #"{"device":"\#(ids[0])","score":0.9}"#)
        #expect(moment.status == 200, "\(moment.text)")
        try await harness.hasDelivered(1)
        try await open(device: ids[0], harness)
        try #require(await receiver.hasTold("opened", of: "opened"), "\(receiver.told) \(harness.lines)")
        try #require(await receiver.hasTold("cancelled", of: "withdrawn"), "\(receiver.told) \(harness.lines)")
        let eligible = "unknown to eligible"
        try #require(await receiver.hasTold(eligible, of: Self.device.token), "\(receiver.told) \(harness.lines)")

        try await schedule("refused", for: "eve", method: "traditional", harness)
        #expect(try await harness.ingest.send("DELETE", "/apps/news/v1/devices/\(ids[0])").status == 204)
        try #require(await receiver.hasTold("failed", of: "refused"), "\(receiver.told) \(harness.lines)")
        let (removed, refused) = ("eligible to ineligible", "unknown to ineligible")
        try #require(await receiver.hasTold(removed, of: Self.device.token), "\(receiver.told) \(harness.lines)")
        try #require(await receiver.hasTold(refused, of: Self.gone.token), "\(receiver.told) \(harness.lines)")
        #expect(
            receiver.told == [
                "opened": ["pending", "delivered", "opened"], "withdrawn": ["pending", "cancelled"],
                "refused": ["pending", "failed"], Self.device.token: [eligible, removed], Self.gone.token: [refused],
            ])
        #expect(receiver.problems.isEmpty)
        try await harness.close()
        await receiver.stop()
    }

    private func members(of key: String, for user: String) -> String {
        """
        "bundle_id":"\(Harness.contextPushID)","platform":"ios","user_id":"\(user)","campaign_id":"daily",\
        "idempotency_key":"\(key)"
        """
    }

    private func schedule(_ key: String, for user: String, method: String, _ harness: Harness) async throws {
        let more = #""delivery_method":"\#(method)","deliver_within_hours":3,"content":{"title":"T","body":"B"}"#
        let response = try await harness.ingest.send(
            "POST", "/v1/campaigns/schedule_message_for_user", body: "{\(members(of: key, for: user)),\(more)}")
        #expect(response.status == 200, "\(response.text)")
    }

    /// Reports that the last push was opened, as the app does.
    private func open(device: String, _ harness: Harness) async throws {
        let data = try await harness.dataOfLastPush(of: .apns)
        let (task, proof) = (try #require(data["task_id"]?.text), try #require(data["task_proof"]?.text))
        let receipt = #"{"task":"\#(task)","device":"\#(device)","proof":"\#(proof)","kind":"opened"}"#
        let response = try await harness.ingest.send(
            "POST", "/apps/news/v1/receipts", body: #"{"receipts":[\#(receipt)]}"#)
        #expect(response.status == 202, "\(response.text)")
    }
}
