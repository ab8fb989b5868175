import HTTP2
import JSONKit
import ServiceKit
import Testing

@testable import ProviderSimulator

/// The rules of the endpoints for channels and broadcasts.
@Suite struct AppleChannelTests {
    private static let channels = "/1/apps/" + AppleFixture.topic + "/channels"
    private static let all = "/1/apps/" + AppleFixture.topic + "/all-channels"
    private static let publishing = "/4/broadcasts/apps/" + AppleFixture.topic
    private static let requestID = "123e4567-e89b-42d3-a456-426614174000"
    private static let unknownChannel = "dHN0LXNyY2gtY2hubA=="

    @Test func aChannelIsCreatedReadAndDeleted() throws {
        var fixture = try AppleFixture()
        let created = try fixture.judge(create(policy: 1))
        #expect(created.summary == "201" && created.answer?.body == [] && created.deliveries == [])
        #expect(created.answer?.headers["apns-request-id"] == AppleChannelTests.requestID)
        #expect(created.answer?.headers["apns-id"] == nil)
        let id = try #require(created.answer?.headers["apns-channel-id"])
        #expect(id.utf8.count == 24 && id.hasSuffix("==") && AppleChannels.isID(id))
        let other = try #require(try fixture.judge(create(policy: 0)).answer?.headers["apns-channel-id"])
        let read = try fixture.judge(call("GET", AppleChannelTests.channels, channel: id))
        #expect(read.summary == "200")
        #expect(read.json == (try JSON("{\"message-storage-policy\":1,\"push-type\":\"LiveActivity\"}")))
        let listed = try fixture.judge(call("GET", AppleChannelTests.all))
        #expect(listed.json == .object(JSONObject([("channels", .array([.string(id), .string(other)]))])))
        #expect(try fixture.judge(call("DELETE", AppleChannelTests.channels, channel: id)).summary == "204")
        let gone = try fixture.judge(call("DELETE", AppleChannelTests.channels, channel: id))
        #expect(gone.summary == "400 ChannelNotRegistered")
        #expect(gone.answer?.headers["apns-request-id"] == AppleChannelTests.requestID)
    }

    @Test func aRequestWithoutAnIDGetsOne() throws {
        var fixture = try AppleFixture()
        var push = call("GET", AppleChannelTests.all)
        push.headers["apns-request-id"] = nil
        #expect(try fixture.judge(push).answer?.headers["apns-request-id"]?.utf8.count == 36)
    }

    @Test func thereIsALimitOfChannels() throws {
        var fixture = try AppleFixture()
        for _ in 0..<3 { #expect(try fixture.judge(create(policy: 1)).summary == "201") }
        #expect(try fixture.judge(create(policy: 1)).summary == "400 CannotCreateChannelConfig")
        fixture.channels.change(countMaximum: 4, isEnabled: nil)
        #expect(try fixture.judge(create(policy: 1)).summary == "201")
        #expect(Set(fixture.channels.ids).count == 4)
    }

    @Test(arguments: [
        ("[]", "400 BadRequestPayload"), ("", "400 BadRequestPayload"),
        ("{\"message-storage-policy\":1}", "400 MissingPushType"),
        ("{\"message-storage-policy\":1,\"push-type\":\"Alert\"}", "400 BadRequestParams"),
        ("{\"push-type\":\"LiveActivity\"}", "400 BadRequestParams"),
        ("{\"message-storage-policy\":2,\"push-type\":\"LiveActivity\"}", "400 BadRequestParams"),
    ])
    func aNewChannelIsDescribed(body: String, summary: String) throws {
        var fixture = try AppleFixture()
        var push = create(policy: 1)
        push.body = body
        #expect(try fixture.judge(push).summary == summary)
        #expect(fixture.channels.ids == [])
    }

    @Test(arguments: [
        ("GET", channels, "", "400 MissingChannelId"), ("DELETE", channels, "", "400 MissingChannelId"),
        ("GET", channels, "not base64", "400 BadChannelId"),
        ("GET", channels, unknownChannel, "400 ChannelNotRegistered"),
        ("PUT", channels, unknownChannel, "405 MethodNotAllowed"), ("POST", all, "", "405 MethodNotAllowed"),
        ("GET", publishing, unknownChannel, "405 MethodNotAllowed"),
        ("GET", "/1/apps/" + AppleFixture.topic, "", "404 BadPath"), ("GET", channels + "/1", "", "404 BadPath"),
        ("POST", "/4/broadcasts/apps/", "", "404 BadPath"), ("POST", publishing + "/1", "", "404 BadPath"),
        ("GET", "/1/apps/com.example.other/channels", unknownChannel, "403 TopicMismatch"),
        ("POST", "/4/broadcasts/apps/com.example.other", unknownChannel, "403 TopicMismatch"),
        ("GET", "/1/apps/com.example.news.push-type.liveactivity/channels", unknownChannel, "400 TopicDisallowed"),
    ])
    func checksPathAndChannel(method: String, path: String, channel: String, summary: String) throws {
        var fixture = try AppleFixture()
        #expect(try fixture.judge(call(method, path, channel: channel)).summary == summary)
    }

    @Test func needsAProviderToken() throws {
        var fixture = try AppleFixture()
        for path in [AppleChannelTests.all, AppleChannelTests.publishing] {
            var push = call(path == AppleChannelTests.all ? "GET" : "POST", path)
            push.headers["authorization"] = ""
            #expect(try fixture.judge(push).summary == "403 MissingProviderToken")
            push.headers["authorization"] = try fixture.providerToken(issued: -3_700)
            #expect(try fixture.judge(push).summary == "403 ExpiredProviderToken")
            push.headers["authorization"] = try fixture.providerToken(teamID: "OTHERTEAM1")
            #expect(try fixture.judge(push).summary == "403 InvalidProviderToken")
            push.headers["authorization"] = ""
            push.clientName = AppleRules.certificatePrefix + AppleFixture.topic
            #expect(try fixture.judge(push).summary != "403 MissingProviderToken")
        }
    }

    @Test func theFeatureCanBeOff() throws {
        var fixture = try AppleFixture()
        fixture.channels.change(countMaximum: nil, isEnabled: false)
        #expect(try fixture.judge(create(policy: 1)).summary == "400 FeatureNotEnabled")
        #expect(try fixture.judge(call("POST", AppleChannelTests.publishing)).summary == "400 FeatureNotEnabled")
        #expect(try fixture.judge(AppleFixture.Push()).summary == "200")
    }

    @Test(arguments: [
        ("apns-push-type", "", "400 MissingPushType"), ("apns-push-type", "alert", "400 InvalidPushType"),
        ("apns-priority", "", "400 BadPriority"), ("apns-priority", "1", "400 BadPriority"),
        ("apns-priority", "10", "200"), ("apns-expiration", "", "400 BadExpirationDate"),
        ("apns-expiration", "soon", "400 BadExpirationDate"), ("apns-expiration", "-1", "400 BadExpirationDate"),
        ("apns-expiration", "0", "200"), ("apns-channel-id", "", "400 MissingChannelId"),
        ("apns-channel-id", unknownChannel, "400 ChannelNotRegistered"),
    ])
    func checksABroadcast(name: String, value: String, summary: String) throws {
        var fixture = try AppleFixture()
        var push = try broadcast(&fixture, policy: 1)
        push.headers[name] = value
        let verdict = try fixture.judge(push)
        #expect(verdict.summary == summary)
        #expect(verdict.deliveries.count == (summary == "200" ? 1 : 0))
    }

    @Test func aChannelWithoutStorageTakesNoExpiration() throws {
        var fixture = try AppleFixture()
        var push = try broadcast(&fixture, policy: 0)
        #expect(try fixture.judge(push).summary == "400 BadExpirationDate")
        push.headers["apns-expiration"] = "0"
        #expect(try fixture.judge(push).summary == "200")
    }

    @Test func aBroadcastIsOneDelivery() throws {
        var fixture = try AppleFixture()
        let push = try broadcast(&fixture, policy: 1)
        let channel = try #require(fixture.channels.ids.first)
        let verdict = try fixture.judge(push)
        #expect(verdict.deliveries == [Delivery(device: channel, mark: AppleChannelTests.requestID, task: "t1")])
        #expect(verdict.answer?.headers["apns-request-id"] == AppleChannelTests.requestID)
    }

    @Test(arguments: [(0, "400 PayloadEmpty"), (5_120, "200"), (5_121, "413 PayloadTooLarge")])
    func boundsABroadcast(byteCount: Int, summary: String) throws {
        var fixture = try AppleFixture()
        var push = try broadcast(&fixture, policy: 1)
        let frame = "{\"a\":\"\"}".utf8.count
        push.body = byteCount == 0 ? "" : "{\"a\":\"" + String(repeating: "x", count: byteCount - frame) + "\"}"
        #expect(try fixture.judge(push).summary == summary)
    }

    @Test func refusesAFieldThatComesTwice() throws {
        var fixture = try AppleFixture()
        var headers = HTTP2Headers()
        for _ in 1...2 { headers.append("apns-channel-id", AppleChannelTests.unknownChannel) }
        let request = HTTP2ServerRequest(method: "GET", path: AppleChannelTests.channels, headers: headers)
        #expect(fixture.rules.judge(request, now: fixture.now).summary == "400 DuplicateHeaders")
    }

    @Test func faultsKnowTheEndpoints() throws {
        let fixture = try AppleFixture()
        let endpoints = [AppleChannelTests.all, AppleChannelTests.publishing, "/3/device/00", "/5"].map { path in
            fixture.rules.endpoint(of: HTTP2ServerRequest(method: "GET", path: path, headers: HTTP2Headers()))
        }
        #expect(endpoints == [.channels, .broadcast, .send, .send])
    }

    private func call(_ method: String, _ path: String, channel: String = "", body: String = "") -> AppleFixture.Push {
        let headers = ["apns-channel-id": channel, "apns-request-id": AppleChannelTests.requestID]
        return AppleFixture.Push(method: method, path: path, headers: headers, body: body)
    }

    private func create(policy: Int) -> AppleFixture.Push {
        let body = "{\"message-storage-policy\":\(policy),\"push-type\":\"LiveActivity\"}"
        return call("POST", AppleChannelTests.channels, body: body)
    }

    /// A broadcast on a new channel, which is accepted if the policy is 1.
    private func broadcast(_ fixture: inout AppleFixture, policy: Int) throws -> AppleFixture.Push {
        let channel = try fixture.judge(create(policy: policy)).answer?.headers["apns-channel-id"]
        var push = call("POST", AppleChannelTests.publishing, channel: channel ?? "", body: "{\"task_id\":\"t1\"}")
        push.headers["apns-push-type"] = "liveactivity"
        push.headers["apns-priority"] = "5"
        push.headers["apns-expiration"] = "1700000000"
        return push
    }
}
