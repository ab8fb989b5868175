import JSONKit
import PushModel
import Rendering
import ServiceKit
import TaskModel
import Testing
import Topics

@Suite struct MessageRenderingTests {
    private static let full = #"""
        {"title":{"default":"Fire","fr":"Feu","fr-CA":"Au feu"},"subtitle":"In town","body":{"default":"Run","fr":"Cours"},
        "data":{"url":"bells://1","depth":{"n":2}},"badge":"increment","sound":"ring.caf",
        "image":"https://bells.example/a.png","category":"news"}
        """#

    @Test func applesPayload() throws {
        let task = try RenderedTask(message: MessageRenderingTests.full)
        let expected = try JSON(
            #"""
            {"url":"bells://1","depth":{"n":2},"task_id":"00f5c216-ee53-4e29-af13-f109d5563a9e",
            "image":"https://bells.example/a.png","aps":{"alert":{"title":"Fire","subtitle":"In town","body":"Run"},
            "sound":"ring.caf","category":"news","mutable-content":1,"badge":7}}
            """#)
        #expect(try task.payload(.apns, badge: 7) == expected)
        let variant = try task.variant(.apns)
        #expect(variant.pushType == "alert")
        #expect(variant.priority == .high)
        #expect(variant.collapseID == RenderedTask.idText)
        #expect(variant.expiration == 1_760_003_600)
        #expect(!variant.isSilent)
    }

    @Test func googlesMessage() throws {
        let task = try RenderedTask(message: MessageRenderingTests.full)
        let expected = try JSON(
            #"""
            {"message":{"token":"TOKEN","notification":{"title":"Fire","body":"Run",
            "image":"https://bells.example/a.png"},
            "data":{"url":"bells://1","depth.n":"2","task_id":"00f5c216-ee53-4e29-af13-f109d5563a9e"},
            "android":{"priority":"HIGH","ttl":"3600s","notification":{"tag":"00f5c216-ee53-4e29-af13-f109d5563a9e",
            "channel_id":"news","sound":"ring.caf","notification_count":7}}}}
            """#)
        #expect(try task.payload(.fcm, badge: 7) == expected)
    }

    @Test func huaweisMessage() throws {
        let task = try RenderedTask(message: MessageRenderingTests.full)
        let expected = try JSON(
            #"""
            {"message":{"data":"{\"url\":\"bells://1\",\"depth.n\":\"2\",\"task_id\":\"00f5c216-ee53-4e29-af13-f109d5563a9e\"}",
            "android":{"urgency":"HIGH","ttl":"3600s","notification":{"title":"Fire","body":"Run",
            "image":"https://bells.example/a.png","tag":"00f5c216-ee53-4e29-af13-f109d5563a9e","channel_id":"news",
            "sound":"ring.caf","click_action":{"type":3},"badge":{"add_num":1}}},"token":["TOKEN"]}}
            """#)
        #expect(try task.payload(.huawei, badge: 7) == expected)
    }

    @Test(
        arguments: [
            (nil, "Fire", "Run"), ("fr-CA", "Au feu", "Cours"), ("fr_be", "Feu", "Cours"), ("FR", "Feu", "Cours"),
            ("de", "Fire", "Run"), ("", "Fire", "Run"),
        ] as [(String?, String, String)])
    func eachDeviceGetsItsLanguage(language: String?, title: String, body: String) throws {
        let task = try RenderedTask(message: MessageRenderingTests.full)
        let alert = try task.payload(.apns, language: language)["aps"]?["alert"]
        #expect(alert?["title"]?.text == title)
        #expect(alert?["body"]?.text == body)
        let notification = try task.payload(.fcm, language: language)["message"]?["notification"]
        #expect(notification?["title"]?.text == title)
        let android = try task.payload(.huawei, language: language)["message"]?["android"]?["notification"]
        #expect(android?["body"]?.text == body)
    }

    /// However many languages devices have, there are no more variants than languages in the task.
    @Test func languagesThatReadAlikeAreOneVariant() throws {
        let rendering = try RenderedTask(message: MessageRenderingTests.full).rendering
        func selection(_ language: String?, isSilent: Bool = false) -> TaskRendering.Selection {
            rendering.selection(for: .apns, language: language, isSilent: isSilent)
        }
        #expect(selection("de") == selection(nil))
        #expect(selection("fr-BE") == selection("FR"))
        #expect(selection("fr-CA") != selection("fr"))
        #expect(selection("fr", isSilent: true) == selection(nil, isSilent: true))
    }

    @Test func aSilentDeviceTakesDataAndBadgeButNoAlert() throws {
        let task = try RenderedTask(message: MessageRenderingTests.full)
        let variant = try task.variant(.apns, isSilent: true)
        #expect(variant.isSilent)
        #expect(variant.priority == .normal)
        // Apple refuses a badge in a background push.
        #expect(variant.pushType == "alert")
        let expected = try JSON(
            #"""
            {"url":"bells://1","depth":{"n":2},"task_id":"00f5c216-ee53-4e29-af13-f109d5563a9e",
            "aps":{"content-available":1,"badge":7}}
            """#)
        #expect(try task.payload(.apns, isSilent: true, badge: 7) == expected)
        for kind in [PushProtocol.fcm, .huawei] {
            let variant = try task.variant(kind, isSilent: true)
            #expect(variant.isSilent)
            #expect(variant.priority == .normal)
            #expect(variant.collapseID == "")
            let message = try task.payload(kind, isSilent: true)["message"]
            #expect(message?["data"] != nil)
            #expect(message?["notification"] == nil)
            #expect(message?["android"]?["notification"] == nil)
        }
    }

    @Test func aSilentMessageIsOneFromTheBackground() throws {
        let task = try RenderedTask(message: #"{"title":"Never shown","data":{"k":"v"},"silent":true}"#)
        let variant = try task.variant(.apns)
        #expect(variant.isSilent)
        #expect(variant.pushType == "background")
        #expect(variant.priority == .normal)
        #expect(try task.payload(.apns)["aps"] == JSON(#"{"content-available":1}"#))
        #expect(try task.payload(.fcm)["message"]?["android"]?["priority"]?.text == "NORMAL")
    }

    @Test func dataAloneWakesTheApp() throws {
        let task = try RenderedTask(message: #"{"data":{"k":"v"}}"#)
        let variant = try task.variant(.apns)
        #expect(variant.pushType == "background")
        #expect(!variant.isSilent)
        let message = try task.payload(.fcm)["message"]
        #expect(message?["notification"] == nil)
        #expect(message?["data"] == (try JSON(#"{"k":"v","task_id":"\#(RenderedTask.idText)"}"#)))
        #expect(message?["android"]?["priority"]?.text == "HIGH")
    }

    @Test func aBadgeAloneIsSeen() throws {
        let task = try RenderedTask(message: #"{"badge":0}"#)
        #expect(try task.variant(.apns).pushType == "alert")
        #expect(try task.payload(.apns)["aps"] == JSON(#"{"badge":0,"content-available":1}"#))
    }

    @Test func aBadgeThatIsTheSameForAllNeedsNoSlot() throws {
        let task = try RenderedTask(message: #"{"body":"b","badge":120}"#)
        #expect(try task.variant(.apns).payload.slots.isEmpty)
        #expect(try task.variant(.fcm).payload.slots == [.token])
        #expect(try task.payload(.apns)["aps"]?["badge"] == .integer(120))
        let fcm = try task.payload(.fcm)["message"]?["android"]?["notification"]
        #expect(fcm?["notification_count"] == .integer(120))
        // As much as Huawei displays.
        let huawei = try task.payload(.huawei)["message"]?["android"]?["notification"]
        #expect(huawei?["badge"] == (try JSON(#"{"set_num":99}"#)))
    }

    @Test func thePublishersTaskIDStays() throws {
        let task = try RenderedTask(message: #"{"body":"b","data":{"task_id":"mine"}}"#)
        #expect(try task.payload(.apns)["task_id"]?.text == "mine")
        #expect(try task.payload(.fcm)["message"]?["data"]?["task_id"]?.text == "mine")
    }

    @Test func aChosenCollapseIDIsTakenEverywhere() throws {
        var task = try RenderedTask(message: #"{"body":"b"}"#)
        #expect(try task.payload(.fcm)["message"]?["android"]?["collapse_key"] == nil)
        // A key replaces on the screen, and takes none of the four collapse keys.
        task.task.replaces = try ReplacementKey("order-4711", of: task.task.app)
        #expect(try task.variant(.apns).collapseID == "order-4711")
        #expect(try task.variant(.fcm).collapseID == "order-4711")
        #expect(try task.payload(.fcm)["message"]?["android"]?["collapse_key"] == nil)
        task.task.options.collapseID = "score"
        #expect(try task.variant(.apns).collapseID == "score")
        let android = try task.payload(.fcm)["message"]?["android"]
        #expect(android?["collapse_key"]?.text == "score")
        #expect(android?["notification"]?["tag"]?.text == "score")
        let huawei = try task.payload(.huawei)["message"]?["android"]?["notification"]
        #expect(huawei?["tag"]?.text == "score")
    }

    @Test(arguments: ["", String(repeating: "x", count: 65), "a\nb", "\u{7F}"])
    func aCollapseIDThatNoHeaderTakesIsRefused(_ collapseID: String) throws {
        var task = try RenderedTask(message: #"{"body":"b"}"#)
        task.task.options.collapseID = collapseID
        #expect(task.flaw(.apns)?.path == "options.collapse_id")
        #expect(task.rendering.checkLimits().map(\.path) == ["options.collapse_id"])
    }

    /// FCM counts a message's life from its receipt; Apple takes the time of expiry.
    @Test func theProviderGetsTheRemainingTimeToLive() throws {
        var task = try RenderedTask(message: #"{"body":"b"}"#)
        task.now = RenderedTask.created + .seconds(600)
        #expect(try task.payload(.fcm)["message"]?["android"]?["ttl"]?.text == "3000s")
        #expect(try task.payload(.huawei)["message"]?["android"]?["ttl"]?.text == "3000s")
        #expect(try task.variant(.apns).expiration == 1_760_003_600)
        task.now = RenderedTask.created + .seconds(9_999)
        #expect(try task.payload(.fcm)["message"]?["android"]?["ttl"]?.text == "1s")
    }

    @Test func noTimeToLiveIsOneAttempt() throws {
        var task = try RenderedTask(message: #"{"body":"b"}"#)
        task.task.options.timeToLive = .zero
        #expect(try task.variant(.apns).expiration == 0)
        #expect(try task.variant(.fcm).expiration == 0)
        #expect(try task.payload(.fcm)["message"]?["android"]?["ttl"]?.text == "0s")
        #expect(try task.payload(.huawei)["message"]?["android"]?["ttl"]?.text == "1s")
        #expect(task.task.deadline > RenderedTask.created)
    }

    @Test func normalPriorityIsSent() throws {
        var task = try RenderedTask(message: #"{"body":"b"}"#)
        task.task.options.priority = .normal
        #expect(try task.variant(.apns).priority == .normal)
        #expect(try task.payload(.fcm)["message"]?["android"]?["priority"]?.text == "NORMAL")
        #expect(try task.payload(.huawei)["message"]?["android"]?["urgency"]?.text == "NORMAL")
    }

    /// Where a platform opens no address itself, the app finds it in its data.
    @Test func theAddressIsAlsoData() throws {
        let task = try RenderedTask(message: #"{"body":"b","data":{"k":"v"},"url":"https://a.example/1"}"#)
        #expect(try task.payload(.apns)["url"]?.text == "https://a.example/1")
        #expect(try task.payload(.fcm)["message"]?["data"]?["url"]?.text == "https://a.example/1")
        let data = try task.payload(.huawei)["message"]?["data"]?.text.map { try JSON($0) }
        #expect(data?["url"]?.text == "https://a.example/1")
        for isSilent in [true, false] {
            #expect(try task.payload(.apns, isSilent: isSilent)["url"]?.text == "https://a.example/1")
        }
    }

    @Test func aPlatformTheMessageIsNotMeantForIsAFlaw() throws {
        let task = try RenderedTask(message: #"{"body":"b"}"#, platforms: [.android])
        #expect(task.flaw(.apns)?.path == "payloads.ios")
        for (kind, name) in [(PushProtocol.webpush, "web"), (.wns, "windows"), (.mpns, "windows"), (.http, "http")] {
            #expect(task.flaw(kind)?.path == "payloads.\(name)")
        }
        #expect(task.rendering.checkLimits().isEmpty)
    }
}
