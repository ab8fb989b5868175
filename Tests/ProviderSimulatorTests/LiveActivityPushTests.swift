import JSONKit
import Testing

@testable import ProviderSimulator

@Suite struct LiveActivityPushTests {
    private static let update = "\"event\":\"update\",\"timestamp\":7,\"content-state\":{\"score\":1}"
    private static let start =
        "\"event\":\"start\",\"timestamp\":7,\"content-state\":{},\"attributes-type\":\"Match\",\"attributes\":{},"
        + "\"alert\":{\"title\":\"t\"}"

    @Test func readsAnUpdate() throws {
        let push = try #require(try push(LiveActivityPushTests.update))
        #expect(push.event == .update && push.timestamp == 7 && push.contentState == "{\"score\":1}")
        #expect(!push.hasAlert && push.start == nil)
    }

    @Test func readsAStart() throws {
        let more = ",\"input-push-token\":1,\"input-push-channel\":\"AAAA\""
        let start = try #require(try push(LiveActivityPushTests.start + more)?.start)
        #expect(start.attributesType == "Match" && start.activity == nil)
        #expect(start.wantsToken && start.channel == "AAAA")
    }

    @Test(arguments: [
        ("{\"carillon\":{\"activityId\":\"c\"},\"pushwoosh\":{\"activityId\":\"p\"}}", "c"),
        ("{\"pushwoosh\":{\"activityId\":\"p\"}}", "p"),
        ("{\"activityId\":\"x\"}", nil),
    ])
    func findsTheActivity(attributes: String, id: String?) throws {
        let text = LiveActivityPushTests.start.replacing("\"attributes\":{}", with: "\"attributes\":" + attributes)
        let start = try #require(try push(text)?.start)
        #expect(start.activity == id)
    }

    @Test(arguments: [
        "", "\"event\":\"begin\",\"timestamp\":7,\"content-state\":{}", "\"event\":\"end\",\"content-state\":{}",
        "\"event\":\"update\",\"timestamp\":7.5,\"content-state\":{}", "\"event\":\"update\",\"timestamp\":7",
        "\"event\":\"update\",\"timestamp\":\"7\",\"content-state\":{}",
        "\"event\":\"update\",\"timestamp\":7,\"content-state\":[]",
    ])
    func aPhoneDrops(aps: String) throws {
        #expect(try push(aps) == nil)
    }

    @Test(arguments: ["content-state", "attributes-type", "attributes", "alert", "timestamp"])
    func aPhoneDropsAStartWithout(name: String) throws {
        #expect(try push(LiveActivityPushTests.start) != nil)
        #expect(try push(LiveActivityPushTests.start.replacing("\"\(name)\"", with: "\"x\"")) == nil)
    }

    @Test func aPayloadWithoutApsIsDropped() throws {
        #expect(LiveActivityPush(try JSON("{\"event\":\"update\"}")) == nil)
    }

    private func push(_ aps: String) throws -> LiveActivityPush? {
        LiveActivityPush(try JSON("{\"aps\":{\(aps)}}"))
    }
}
