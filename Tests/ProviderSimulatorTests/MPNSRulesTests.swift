import HTTP2
import ServiceKit
import Testing

@testable import ProviderSimulator

@Suite struct MPNSRulesTests {
    private static let toast = element(
        "<wp:Toast><wp:Text1>It</wp:Text1><wp:Param>/page?task_id=t1</wp:Param></wp:Toast>")
    private static let tile = element("<wp:Tile><wp:Count>1</wp:Count></wp:Tile>")

    @Test func takesAToast() {
        let verdict = MPNSRulesTests.send(MPNSRulesTests.toast)
        #expect(verdict.answer?.status == 200)
        #expect(verdict.answer?.headers["x-notificationstatus"] == "Received")
        #expect(verdict.answer?.headers["x-subscriptionstatus"] == "Active")
        #expect(verdict.deliveries == [Delivery(device: "d1", mark: "t1", task: "t1")])
    }

    @Test(arguments: [
        ("toast", "2", MPNSRulesTests.toast, nil), ("toast", "12", MPNSRulesTests.toast, nil),
        ("toast", "22", MPNSRulesTests.toast, nil), ("toast", "1", MPNSRulesTests.toast, "BadNotificationClass"),
        ("toast", "", MPNSRulesTests.toast, "BadNotificationClass"), ("token", "1", MPNSRulesTests.tile, nil),
        ("token", "1", MPNSRulesTests.toast, "BadPayload"), ("toast", "2", MPNSRulesTests.tile, "BadPayload"),
        ("", "3", "{\"task_id\":\"t1\"}", nil), ("", "3", "", "BadPayload"), ("", "2", "{}", "BadNotificationClass"),
        ("raw", "3", "{}", "BadTarget"), ("toast", "2", "<a", "BadPayload"),
        (
            "toast", "2", "<wp:Notification xmlns:wp='other'><wp:Toast><wp:Text1/></wp:Toast></wp:Notification>",
            "BadPayload"
        ),
        ("toast", "2", MPNSRulesTests.element("<wp:Toast/>"), "BadPayload"),
        ("", "3", String(repeating: "x", count: 5_001), "PayloadTooLarge"),
        ("", "3", String(repeating: "x", count: 5_000), nil),
    ])
    func checksTargetClassAndPayload(target: String, number: String, body: String, reason: String?) {
        let verdict = MPNSRulesTests.send(
            body, headers: ["x-windowsphone-target": target, "x-notificationclass": number])
        #expect(verdict.refusal?.reason == reason)
        #expect(verdict.deliveries.count == (reason == nil ? 1 : 0))
        if body.hasPrefix("{\"task_id") { #expect(verdict.deliveries.first?.task == "t1") }
    }

    @Test func xmlNeedsItsType() {
        let verdict = MPNSRulesTests.send(MPNSRulesTests.toast, headers: ["content-type": "application/json"])
        #expect(verdict.refusal?.reason == "BadContentType" && verdict.answer?.status == 400)
    }

    @Test(arguments: MPNSName.effects.keys.sorted()) func obeysTheNamesWord(word: String) throws {
        let verdict = MPNSRulesTests.send(MPNSRulesTests.toast, channel: word + "-1")
        #expect(verdict.deliveries == [])
        switch try #require(MPNSName.effects[word]) {
        case .refusal(let error, let retryAfter):
            #expect(verdict.answer?.status == error.status && verdict.refusal?.reason == error.rawValue)
            #expect(verdict.answer?.headers["x-subscriptionstatus"] == error.standing.subscription)
            #expect(verdict.answer?.headers["retry-after"] == retryAfter.map(String.init))
        case .status(let status):
            #expect(verdict.answer?.status == 200 && verdict.answer?.headers["x-notificationstatus"] == status)
        }
    }

    @Test func knowsItsAddresses() {
        #expect(MPNSRulesTests.send(MPNSRulesTests.toast, channel: "a/b").answer?.status == 404)
        #expect(MPNSRulesTests.send(MPNSRulesTests.toast, method: "GET").answer?.status == 405)
    }

    private static func element(_ content: String) -> String {
        "<?xml version=\"1.0\"?><wp:Notification xmlns:wp=\"WPNotification\">\(content)</wp:Notification>"
    }

    /// An empty value leaves the field out.
    private static func send(
        _ body: String, channel: String = "d1", method: String = "POST", headers changed: [String: String] = [:]
    ) -> Verdict {
        var fields = [
            "x-windowsphone-target": "toast", "x-notificationclass": "2", "content-type": "text/xml; charset=utf-8",
        ]
        fields.merge(changed) { $1 }
        var headers = HTTP2Headers()
        for (name, value) in fields where !value.isEmpty { headers.append(name, value) }
        var rules = MPNSRules()
        let request = HTTP2ServerRequest(
            method: method, path: MPNSRules.channels.start + channel, headers: headers, body: Array(body.utf8))
        return rules.judge(request, now: Timestamp(milliseconds: 0))
    }
}
