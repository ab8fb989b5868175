import JSONKit
import PushModel
import Rendering
import ServiceKit
import TaskModel
import TestSupport
import Testing
import Topics

@testable import ProviderSimulator

/// A platform's own message and the fields that only its devices have, in exact payloads.
@Suite struct PlatformMessageTests {
    private static let android = #"""
        {"title":"Fire","body":"Run","category":"other","image":"https://bells.example/small.png","android":{
        "channel":"news","priority":-2,"vibration":[0,500,1250,2000,1,1,1,1,1,1,1,1],"light":{"color":"#80FF0000","on_ms":50},
        "visibility":"secret","icon":"bell","color":"#8000FF7F","banner":"https://bells.example/big.png","tag":"t",
        "time_to_live":"3m","urgency":"normal","collapse_id":"c"}}
        """#
    private static let ios = #"""
        {"title":"Fire","body":"Run","category":"chat","ios":{"thread":"t","mutable_content":true,
        "attachments":[{"id":"1","url":"https://bells.example/a.mp4","type":"mp4"},{"id":"2","url":"https://bells.example/b"}],
        "relevance":0.25,"interruption_level":"time-sensitive","time_to_live":"3m","collapse_id":"c"}}
        """#

    @Test func googlesMessage() throws {
        let task = try RenderedTask(message: PlatformMessageTests.android)
        let expected = try JSON(
            #"""
            {"message":{"token":"TOKEN","notification":{"title":"Fire","body":"Run",
            "image":"https://bells.example/big.png"},"data":{"task_id":"00f5c216-ee53-4e29-af13-f109d5563a9e"},
            "android":{"priority":"NORMAL","ttl":"180s","collapse_key":"c","notification":{"tag":"t","channel_id":"news",
            "icon":"bell","color":"#00FF7F","visibility":"SECRET","light_settings":{"color":{"alpha":0.502,"red":1.0,
            "green":0.0,"blue":0.0},"light_on_duration":"0.050s","light_off_duration":"0.500s"},"vibrate_timings":["0s",
            "0.500s","1.250s","2s","0.001s","0.001s","0.001s","0.001s","0.001s","0.001s","0.001s","0.001s"],
            "notification_priority":"PRIORITY_MIN"}}}}
            """#)
        #expect(try task.payload(.fcm) == expected)
        _ = try GoogleMessage(task.variant(.fcm).payload.payload(token: "TOKEN", badge: 0))
    }

    @Test func huaweisMessage() throws {
        let task = try RenderedTask(message: PlatformMessageTests.android)
        let expected = try JSON(
            #"""
            {"message":{"data":"{\"task_id\":\"00f5c216-ee53-4e29-af13-f109d5563a9e\"}",
            "android":{"urgency":"NORMAL","ttl":"180s","notification":{"title":"Fire","body":"Run",
            "image":"https://bells.example/big.png","tag":"t","channel_id":"news","icon":"bell","color":"#00FF7F",
            "visibility":"SECRET","light_settings":{"color":{"alpha":0.502,"red":1.0,"green":0.0,"blue":0.0},
            "light_on_duration":"0.050s","light_off_duration":"0.500s"},"vibrate_config":["0s","0.500s","1.250s","2s",
            "0.001s","0.001s","0.001s","0.001s","0.001s","0.001s"],"importance":"LOW","click_action":{"type":3}}},
            "token":["TOKEN"]}}
            """#)
        #expect(try task.payload(.huawei) == expected)
        _ = try ReceivedHuaweiMessage(task.variant(.huawei).payload.payload(token: "TOKEN", badge: 0))
    }

    @Test func applesPayload() throws {
        let task = try RenderedTask(message: PlatformMessageTests.ios)
        let expected = try JSON(
            #"""
            {"task_id":"00f5c216-ee53-4e29-af13-f109d5563a9e","attachments":[
            {"id":"1","url":"https://bells.example/a.mp4","type":"mp4"},{"id":"2","url":"https://bells.example/b"}],
            "aps":{"alert":{"title":"Fire","body":"Run"},"category":"chat","thread-id":"t","mutable-content":1,
            "interruption-level":"time-sensitive","relevance-score":0.25}}
            """#)
        #expect(try task.payload(.apns) == expected)
        let variant = try task.variant(.apns)
        #expect(variant.collapseID == "c")
        #expect(variant.expiration == 1_760_000_180)
        #expect(variant.priority == .high)
    }

    /// The fields of one platform do not change what the others get.
    @Test(arguments: [PlatformMessageTests.android, PlatformMessageTests.ios])
    func otherPlatformsGetTheMessageWithoutThem(message: String) throws {
        let task = try RenderedTask(message: message, platforms: Set(Platform.allCases))
        var plain = task
        plain.task.content.message?.android = nil
        plain.task.content.message?.apple = nil
        let isForApple = task.task.content.message?.apple != nil
        for kind in PushProtocol.ofDevices where Platform(kind) != (isForApple ? .ios : .android) {
            #expect(try task.variant(kind) == plain.variant(kind), "\(kind.name)")
        }
    }

    @Test(arguments: [
        (-2, "MIN", "LOW"), (-1, "LOW", "LOW"), (0, "DEFAULT", "NORMAL"), (1, "HIGH", "NORMAL"), (2, "MAX", "NORMAL"),
    ])
    func everyImportanceHasItsName(importance: Int, google: String, huawei: String) throws {
        let task = try RenderedTask(message: #"{"body":"b","android":{"priority":\#(importance)}}"#)
        func notification(_ kind: PushProtocol) throws -> JSON? {
            try task.payload(kind)["message"]?["android"]?["notification"]
        }
        #expect(try notification(.fcm)?["notification_priority"]?.text == "PRIORITY_\(google)")
        #expect(try notification(.huawei)?["importance"]?.text == huawei)
    }

    /// An attachment alone needs the extension too.
    @Test func attachmentsMakeANotificationMutable() throws {
        let files = #"{"attachments":[{"id":"1","url":"https://bells.example/a"}]}"#
        let shown = try RenderedTask(message: #"{"body":"b","ios":\#(files)}"#)
        #expect(try shown.payload(.apns)["aps"]?["mutable-content"] == .integer(1))
        let silent = try shown.payload(.apns, isSilent: true)
        #expect(silent["attachments"] == nil)
        #expect(try silent["aps"] == JSON(#"{"content-available":1}"#))
        let taken = try RenderedTask(message: #"{"body":"b","data":{"attachments":1},"ios":\#(files)}"#)
        #expect(taken.flaw(.apns)?.path == "message.data.attachments")
        #expect(taken.flaw(.fcm) == nil)
    }

    /// Goal: each platform gets its own message, in the language that this message has. Method: a message for all, and
    /// one for each platform in turn.
    @Test(arguments: PushProtocol.ofDevices)
    func aPlatformGetsItsOwnMessage(kind: PushProtocol) throws {
        var task = try RenderedTask(
            message: #"{"body":{"default":"all","fr":"tous"}}"#, platforms: Set(Platform.allCases))
        var own = PushMessage()
        own.body = LocalizedText("own", translations: ["de": "eigen"])
        task.task.content.messages = [Platform(kind): own]
        func text(_ kind: PushProtocol, _ language: String?) throws -> String {
            let variant = try task.variant(kind, language: language)
            return String(decoding: variant.payload.payload(token: "t", badge: 0), as: UTF8.self)
        }
        #expect(try text(kind, nil).contains("own"))
        #expect(try text(kind, "de").contains("eigen"))
        #expect(try !text(kind, "fr").contains("tous"))
        let others = PushProtocol.ofDevices.filter { Platform($0) != Platform(kind) }
        for other in others {
            #expect(try text(other, "fr").contains("tous"), "\(other.name)")
            #expect(try !text(other, "de").contains("eigen"), "\(other.name)")
        }
        task.task.content.message = nil
        #expect(task.rendering.isTranslated)
        #expect(task.flaw(try #require(others.first))?.path.hasPrefix("payloads.") == true)
    }

    /// The payload of a platform replaces its message, but is delivered and counted as that says.
    @Test func aPayloadTakesPrecedenceOverThePlatformsMessage() throws {
        var task = try RenderedTask(message: #"{"body":"all"}"#, payloads: [.ios: #"{"aps":{"alert":"mine"}}"#])
        var own = PushMessage()
        own.body = LocalizedText("own")
        own.badge = .increment
        own.apple = AppleFields()
        own.apple?.collapseID = "c"
        own.apple?.timeToLive = .seconds(60)
        task.task.content.messages = [.ios: own]
        #expect(try task.payload(.apns, badge: 3) == JSON(#"{"aps":{"alert":"mine","badge":3}}"#))
        #expect(try task.variant(.apns).collapseID == "c")
        #expect(try task.variant(.apns).expiration == 1_760_000_060)
        #expect(try !task.variant(.fcm).payload.slots.contains(.badge))
    }

    @Test(arguments: [
        (#"{"body":"${var.x}"}"#, "messages.ios.body"),
        (#"{"title":{"default":"x","fr":"${data.n}"}}"#, "messages.ios.title.fr"),
        (#"{"subtitle":"${"}"#, "messages.ios.subtitle"), (#"{"body":"b","data":{"aps":1}}"#, "messages.ios.data.aps"),
        (#"{"body":"b","data":{"from":"x"}}"#, "messages.ios.data.from"),
        (#"{"body":"b","url":"https://x.example","data":{"url":"x"}}"#, "messages.ios.data.url"),
        (#"{"body":"b","image":"https://x.example","data":{"image":"x"}}"#, "messages.ios.data.image"),
        (#"{"body":"\#(String(repeating: "x", count: 4_090))"}"#, "messages.ios"),
        (#"{"body":"b","data":{"n":"\#(String(repeating: "x", count: 4_096))"}}"#, "messages.ios.data"),
    ])
    func aMistakeNamesItsMessage(message: String, path: String) throws {
        var task = try RenderedTask(message: #"{"body":"b"}"#)
        task.task.content.messages[.ios] = try RenderedTask(message: message).task.content.message
        #expect(task.rendering.checkLimits(of: [.apns, .fcm]).map(\.path).first == path)
        #expect(task.flaw(.fcm) == nil)
    }

    /// Zero stays one attempt, without storage; Huawei has no zero.
    @Test func aPlatformMayHaveOneAttemptOnly() throws {
        let task = try RenderedTask(
            message: #"{"body":"b","android":{"time_to_live":"0s"},"ios":{"time_to_live":"0s"}}"#)
        #expect(try task.variant(.apns).expiration == 0)
        #expect(try task.payload(.fcm)["message"]?["android"]?["ttl"]?.text == "0s")
        #expect(try task.payload(.huawei)["message"]?["android"]?["ttl"]?.text == "1s")
    }

    /// A longer life than the task's has no effect, also with a start of the devices' own.
    @Test func aPlatformsLifeEndsWithTheTasks() throws {
        let task = try RenderedTask(
            message: #"{"body":"b","ios":{"time_to_live":"2h"},"android":{"time_to_live":"10s"}}"#)
        let begins = RenderedTask.created + .seconds(100)
        let rendering = TaskRendering(task.task, begins: begins, now: begins)
        #expect(try rendering.variant(for: .apns, language: nil, isSilent: false).expiration == 1_760_003_700)
        let google = try rendering.variant(for: .fcm, language: nil, isSilent: false)
        #expect(try JSON(google.payload.payload(token: "t", badge: 0))["message"]?["android"]?["ttl"]?.text == "10s")
    }

    /// Urgent silent pushes are only those that the publisher asks for.
    @Test func urgencyIsThePublishersForSilentMessages() throws {
        func priority(_ message: String, isSilent: Bool = false) throws -> RenderedVariant.Priority {
            try RenderedTask(message: message).variant(.fcm, isSilent: isSilent).priority
        }
        #expect(try priority(#"{"body":"b","android":{"urgency":"high"}}"#) == .high)
        #expect(try priority(#"{"body":"b","android":{"urgency":"normal"}}"#) == .normal)
        #expect(try priority(#"{"body":"b","android":{"urgency":"high"}}"#, isSilent: true) == .normal)
        #expect(try priority(#"{"silent":true,"android":{"urgency":"high"}}"#) == .high)
        #expect(try priority(#"{"silent":true}"#) == .normal)
    }
}
