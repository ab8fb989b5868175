import JSONKit
import PushModel
import Rendering
import TaskModel
import Testing
import Topics

/// Payloads written by publishers.
@Suite struct WrittenPayloadTests {
    /// The first sample of Richie's document, with its commas corrected and the task's id in its reported place.
    private static let ios = #"""
        {"aps":{"alert":{"title":"Push Notification Title for iOS","body":"Push Notification Body Text for iOS",
        "publisher-item-id":"100200"},"content-available":1,"issue-guid":"2258b0e6-6748-46c2-8e67-0893c0542fbb",
        "issue-page":10,"task_id":"00f5c216-ee53-4e29-af13-f109d5563a9e"}}
        """#
    private static let android = #"""
        {"data":{"title":"Push Notification Title for Android","body":"Push Notification Body Text for Android",
        "external-browser-url":"https://example.com/news/article/1",
        "issue-guid":"2258b0e6-6748-46c2-8e67-0893c0542fbb","issue-page":10,
        "task_id":"00f5c216-ee53-4e29-af13-f109d5563a9e"}}
        """#

    private static func sample() throws -> RenderedTask {
        try RenderedTask(payloads: [.ios: ios, .android: android])
    }

    @Test func richiesSampleForApple() throws {
        let variant = try WrittenPayloadTests.sample().variant(.apns)
        let bytes = variant.payload.payload(token: "", badge: 0)
        let golden =
            #"{"aps":{"alert":{"title":"Push Notification Title for iOS","body":"Push Notification Body Text for iOS","#
            + #""publisher-item-id":"100200"},"content-available":1,"#
            + #""issue-guid":"2258b0e6-6748-46c2-8e67-0893c0542fbb","issue-page":10,"#
            + #""task_id":"00f5c216-ee53-4e29-af13-f109d5563a9e"}}"#
        #expect(String(decoding: bytes, as: UTF8.self) == golden)
        #expect(variant.pushType == "alert")
        #expect(variant.priority == .high)
        #expect(variant.collapseID == RenderedTask.idText)
    }

    @Test func richiesSampleForGoogle() throws {
        let bytes = try WrittenPayloadTests.sample().variant(.fcm).payload.payload(token: "TOKEN", badge: 0)
        let golden =
            #"{"message":{"token":"TOKEN","data":{"title":"Push Notification Title for Android","#
            + #""body":"Push Notification Body Text for Android","#
            + #""external-browser-url":"https://example.com/news/article/1","#
            + #""issue-guid":"2258b0e6-6748-46c2-8e67-0893c0542fbb","issue-page":"10","#
            + #""task_id":"00f5c216-ee53-4e29-af13-f109d5563a9e"},"android":{"priority":"HIGH","ttl":"3600s"}}}"#
        #expect(String(decoding: bytes, as: UTF8.self) == golden)
    }

    @Test func richiesSampleForHuawei() throws {
        let bytes = try WrittenPayloadTests.sample().variant(.huawei).payload.payload(token: "TOKEN", badge: 0)
        let golden =
            #"{"message":{"data":"{\"title\":\"Push Notification Title for Android\","#
            + #"\"body\":\"Push Notification Body Text for Android\","#
            + #"\"external-browser-url\":\"https://example.com/news/article/1\","#
            + #"\"issue-guid\":\"2258b0e6-6748-46c2-8e67-0893c0542fbb\",\"issue-page\":\"10\","#
            + #"\"task_id\":\"00f5c216-ee53-4e29-af13-f109d5563a9e\"}","#
            + #""android":{"urgency":"HIGH","ttl":"3600s"},"token":["TOKEN"]}}"#
        #expect(String(decoding: bytes, as: UTF8.self) == golden)
    }

    @Test func aSilentDeviceGetsNoAlertOfAWrittenPayload() throws {
        let task = try WrittenPayloadTests.sample()
        let variant = try task.variant(.apns, isSilent: true)
        #expect(variant.isSilent)
        #expect(variant.pushType == "background")
        #expect(variant.priority == .normal)
        let aps = try task.payload(.apns, isSilent: true)["aps"]?.object
        #expect(aps?.names == ["content-available", "issue-guid", "issue-page", "task_id"])
        #expect(try task.payload(.fcm, isSilent: true)["message"]?["data"]?["issue-page"]?.text == "10")
    }

    @Test func aNotificationIsTakenForBothProviders() throws {
        let task = try RenderedTask(payloads: [
            .android:
                ##"{"notification":{"title":"T","body":"B","channel_id":"c","click_action":"OPEN","color":"#ff0000"}}"##
        ])
        let google = try task.payload(.fcm)["message"]
        #expect(google?["notification"] == (try JSON(#"{"title":"T","body":"B"}"#)))
        let tag = RenderedTask.idText
        #expect(
            google?["android"]?["notification"]
                == (try JSON(##"{"tag":"\##(tag)","channel_id":"c","color":"#ff0000","click_action":"OPEN"}"##)))
        let huawei = try task.payload(.huawei)["message"]?["android"]?["notification"]
        #expect(huawei?["title"]?.text == "T")
        #expect(huawei?["click_action"] == (try JSON(#"{"type":1,"action":"OPEN"}"#)))
        // A silent device gets only the task's id, which still wakes the app.
        let silent = try task.payload(.fcm, isSilent: true)["message"]
        #expect(silent?["data"] == (try JSON(#"{"task_id":"\#(tag)"}"#)))
        #expect(silent?["notification"] == nil)
    }

    @Test func aCountedBadgeIsSplicedIntoAWrittenPayload() throws {
        let counted = #"{"badge":"increment"}"#
        let task = try RenderedTask(message: counted, platforms: [], payloads: [.ios: #"{"aps":{"alert":"x"},"k":1}"#])
        #expect(try task.payload(.apns, badge: 12) == JSON(#"{"k":1,"aps":{"alert":"x","badge":12}}"#))
        let fixed = try RenderedTask(message: counted, platforms: [], payloads: [.ios: #"{"aps":{"badge":1}}"#])
        #expect(try fixed.payload(.apns, badge: 12) == JSON(#"{"aps":{"badge":1}}"#))
    }

    @Test(arguments: [
        (Platform.ios, #"{"alert":"x"}"#, "payloads.ios.aps"), (.ios, #"{"aps":"x"}"#, "payloads.ios.aps"),
        (.android, #"{}"#, "payloads.android"), (.android, #"{"data":[]}"#, "payloads.android.data"),
        (.android, #"{"topic":"x"}"#, "payloads.android.topic"),
        (.android, #"{"data":{"from":"x"}}"#, "payloads.android.data.from"),
        (.android, #"{"notification":{"vibrate":"x"}}"#, "payloads.android.notification.vibrate"),
        (.android, #"{"notification":{"title":1}}"#, "payloads.android.notification.title"),
    ])
    func whatIsWrongNamesItsField(platform: Platform, payload: String, path: String) throws {
        let task = try RenderedTask(payloads: [platform: payload])
        #expect(task.flaw(platform == .ios ? .apns : .fcm)?.path == path)
        #expect(Set(task.rendering.checkLimits().map(\.path)) == [path])
    }
}
