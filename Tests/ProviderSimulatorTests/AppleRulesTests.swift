import HTTP2
import JSONKit
import ServiceKit
import TestSupport
import Testing

@testable import ProviderSimulator

@Suite struct AppleRulesTests {
    @Test func takesAPushAndEchoesItsName() throws {
        var fixture = try AppleFixture()
        let verdict = try fixture.judge(AppleFixture.Push())
        #expect(verdict.summary == "200")
        #expect(verdict.answer?.body == [])
        #expect(verdict.answer?.headers["apns-id"] == "123e4567-e89b-42d3-a456-426614174000")
        let delivery = Delivery(
            device: AppleFixture.device, mark: "123e4567-e89b-42d3-a456-426614174000", task: "task")
        #expect(verdict.deliveries == [delivery])
    }

    @Test func namesAPushThatHasNoName() throws {
        var fixture = try AppleFixture()
        var push = AppleFixture.Push()
        push.headers["apns-id"] = nil
        let verdict = try fixture.judge(push)
        #expect(verdict.answer?.headers["apns-id"]?.utf8.count == 36)
        #expect(verdict.deliveries.first?.mark == nil)
    }

    @Test func takesTheTaskFromThePayload() throws {
        var fixture = try AppleFixture()
        var push = AppleFixture.Push(body: "{\"aps\":{},\"task_id\":\"t1\"}")
        push.headers["apns-collapse-id"] = nil
        #expect(try fixture.judge(push).deliveries.first?.task == "t1")
    }

    @Test(arguments: [
        ("apns-topic", "", "400 MissingTopic"),
        ("apns-topic", "com.example.other", "400 TopicDisallowed"),
        ("apns-topic", "com.example.news.voip", "400 BadTopic"),
        ("apns-push-type", "shout", "400 InvalidPushType"),
        ("apns-push-type", "voip", "400 BadTopic"),
        ("apns-push-type", "background", "400 BadPriority"),
        ("apns-push-type", "", "200"),
        ("apns-priority", "7", "400 BadPriority"),
        ("apns-priority", "1", "200"),
        ("apns-priority", "", "200"),
        ("apns-expiration", "soon", "400 BadExpirationDate"),
        ("apns-expiration", "-1", "400 BadExpirationDate"),
        ("apns-expiration", "1700000000", "200"),
        ("apns-collapse-id", String(repeating: "c", count: 65), "400 BadCollapseId"),
        ("apns-collapse-id", String(repeating: "c", count: 64), "200"),
        ("apns-id", "123e4567e89b42d3a456426614174000", "400 BadMessageId"),
        ("apns-id", "123e4567-e89b-42d3-a456-42661417400g", "400 BadMessageId"),
    ])
    func checksItsFields(name: String, value: String, summary: String) throws {
        var fixture = try AppleFixture()
        var push = AppleFixture.Push()
        push.headers[name] = value
        let verdict = try fixture.judge(push)
        #expect(verdict.summary == summary)
        #expect((verdict.refusal == nil) == (summary == "200"))
    }

    @Test(arguments: ApplePushType.allCases) func couplesTopicAndType(type: ApplePushType) throws {
        var fixture = try AppleFixture()
        var push = AppleFixture.Push()
        push.headers["apns-push-type"] = type.rawValue
        push.headers["apns-topic"] = AppleFixture.topic + type.topicSuffix
        push.headers["apns-priority"] = "5"
        #expect(try fixture.judge(push).summary == "200")
    }

    @Test(arguments: [("10", "200"), ("5", "200"), ("", "200"), ("1", "400 BadPriority")])
    func liveActivitiesHaveTwoPriorities(priority: String, summary: String) throws {
        var fixture = try AppleFixture()
        var push = AppleFixture.Push()
        push.headers["apns-push-type"] = "liveactivity"
        push.headers["apns-topic"] = AppleFixture.topic + ".push-type.liveactivity"
        push.headers["apns-priority"] = priority
        #expect(try fixture.judge(push).summary == summary)
    }

    @Test(arguments: [
        ("GET", "/3/device/" + AppleFixture.device, "405 MethodNotAllowed"),
        ("POST", "/2/device/" + AppleFixture.device, "404 BadPath"),
        ("POST", "/3/device/", "400 MissingDeviceToken"),
        ("POST", "/3/device/abc", "400 BadDeviceToken"),
        ("POST", "/3/device/" + String(repeating: "zz", count: 32), "400 BadDeviceToken"),
        ("POST", "/3/device/" + String(repeating: "AB", count: 80), "200"),
    ])
    func checksItsPath(method: String, path: String, summary: String) throws {
        var fixture = try AppleFixture()
        #expect(try fixture.judge(AppleFixture.Push(method: method, path: path)).summary == summary)
    }

    @Test(arguments: [
        ("alert", 0, "400 PayloadEmpty"), ("alert", 4_096, "200"), ("alert", 4_097, "413 PayloadTooLarge"),
        ("voip", 5_120, "200"), ("voip", 5_121, "413 PayloadTooLarge"),
    ])
    func boundsThePayload(type: String, byteCount: Int, summary: String) throws {
        var fixture = try AppleFixture()
        let frame = "{\"a\":\"\"}"
        let body =
            byteCount == 0 ? "" : "{\"a\":\"" + String(repeating: "x", count: byteCount - frame.utf8.count) + "\"}"
        var push = AppleFixture.Push(body: body)
        push.headers["apns-push-type"] = type
        push.headers["apns-topic"] = AppleFixture.topic + (type == "voip" ? ".voip" : "")
        #expect(try fixture.judge(push).summary == summary)
    }

    @Test(arguments: ["{\"aps\":", "[]", "\"aps\""]) func wantsAnObject(body: String) throws {
        var fixture = try AppleFixture()
        #expect(try fixture.judge(AppleFixture.Push(body: body)).summary == "400 PayloadEmpty")
    }

    @Test func refusesAFieldThatComesTwice() throws {
        var fixture = try AppleFixture()
        var headers = HTTP2Headers()
        for _ in 1...2 { headers.append("apns-topic", AppleFixture.topic) }
        let request = HTTP2ServerRequest(method: "POST", path: "/3/device/" + AppleFixture.device, headers: headers)
        let verdict = fixture.rules.judge(request, now: fixture.now)
        #expect(verdict.summary == "400 DuplicateHeaders")
    }

    @Test func tellsSinceWhenADeviceIsGone() throws {
        var fixture = try AppleFixture()
        let device = "dead0410" + String(repeating: "0", count: 56)
        let verdict = try fixture.judge(AppleFixture.Push(path: "/3/device/" + device))
        #expect(verdict.summary == "410 Unregistered")
        #expect(verdict.json?["timestamp"] == .integer(fixture.now.milliseconds))
        #expect(verdict.deliveries == [])
    }

    @Test(arguments: AppleTokenPrefix.effects.keys.sorted()) func obeysTheTokensPrefix(prefix: String) throws {
        var fixture = try AppleFixture()
        let path = "/3/device/" + prefix.uppercased() + String(repeating: "0", count: 56)
        let verdict = try fixture.judge(AppleFixture.Push(path: path))
        switch try #require(AppleTokenPrefix.effects[prefix]) {
        case .refusal(let error): #expect(verdict.summary == "\(error.status) \(error.rawValue)")
        case .fault(let fault):
            guard case .fault(let given) = verdict.reaction else {
                Issue.record("\(prefix) gave \(verdict.summary)")
                return
            }
            #expect(given == fault)
        }
    }

    @Test func answersAsAsked() throws {
        let fixture = try AppleFixture()
        let request = HTTP2ServerRequest(method: "POST", path: "/3/device/00", headers: HTTP2Headers())
        let asked = AskedError(status: 429, reason: "TooManyRequests", retryAfter: 7)
        let answer = fixture.rules.answer(asked, to: request, now: fixture.now)
        #expect(answer.status == 429)
        #expect(answer.headers["retry-after"] == "7")
        #expect(String(decoding: answer.body, as: UTF8.self) == "{\"reason\":\"TooManyRequests\"}")
    }
}
