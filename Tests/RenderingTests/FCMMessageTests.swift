import JSONKit
import Rendering
import TaskModel
import Testing
import Topics

@Suite struct FCMMessageTests {
    @Test func writesWhatGoogleDocuments() throws {
        var message = FCMMessage()
        var notification = AndroidNotification()
        notification.title = "Bells"
        notification.body = #"say "ding""#
        notification.image = "https://bells.example/a.png"
        notification.tag = "task-1"
        notification.channel = "news"
        notification.sound = "default"
        notification.clickAction = "OPEN"
        message.notification = notification
        message.priority = .normal
        message.timeToLive = 90
        message.collapseKey = "news"
        message.analyticsLabel = "autumn"
        message.data = try data(JSON(#"{"url":"bells://1"}"#))
        let expected = try JSON(
            #"""
            {"message":{"token":"a\"b","notification":{"title":"Bells","body":"say \"ding\"",
            "image":"https://bells.example/a.png"},"data":{"url":"bells://1"},
            "fcm_options":{"analytics_label":"autumn"},"android":{"priority":"NORMAL","ttl":"90s","collapse_key":"news",
            "notification":{"tag":"task-1","channel_id":"news","sound":"default","click_action":"OPEN"}}}}
            """#)
        #expect(try JSON(message.template(path: "message").payload(token: #"a\"b"#, badge: 0)) == expected)
    }

    @Test func aDataMessageHasNoNotification() throws {
        var message = FCMMessage()
        message.data = try data(JSON(#"{"k":"v"}"#))
        let expected = try JSON(#"{"message":{"token":"t","data":{"k":"v"},"android":{"priority":"HIGH"}}}"#)
        #expect(try JSON(message.template(path: "message").payload(token: "t", badge: 7)) == expected)
    }

    @Test(arguments: [true, false]) func theBadgeIsANumber(_ hasTag: Bool) throws {
        var message = FCMMessage()
        var notification = AndroidNotification()
        notification.badge = .increment
        if hasTag { notification.tag = "t" }
        message.notification = notification
        let written = try JSON(message.template(path: "message").payload(token: "t", badge: 4_294_967_295))
        let onScreen = written["message"]?["android"]?["notification"]
        #expect(onScreen?["notification_count"] == .integer(4_294_967_295))
        #expect(onScreen?["tag"] == (hasTag ? .string("t") : nil))
    }

    @Test func flattensWhatIsNestedAndWritesTexts() throws {
        var message = FCMMessage()
        message.data = try data(
            JSON(
                #"""
                {"text":"t","whole":7,"large":18446744073709551615,"part":1.5,"yes":true,"no":null,"empty":{},
                "deep":{"er":{"still":"x","n":-1}},"list":[1,"a",{"b":[]}]}
                """#))
        let flat = Dictionary(uniqueKeysWithValues: message.data.members.map { ($0.name, $0.value) })
        #expect(
            flat == [
                "text": "t", "whole": "7", "large": "18446744073709551615", "part": "1.5", "yes": "true",
                "deep.er.still": "x", "deep.er.n": "-1", "list": #"[1,"a",{"b":[]}]"#,
            ])
    }

    @Test func aBadgeThatIsTheSameForAllIsWritten() throws {
        var message = FCMMessage()
        var notification = AndroidNotification()
        notification.badge = .set(3)
        message.notification = notification
        let template = try message.template(path: "message")
        #expect(template.slots == [.token])
        let written = try JSON(template.payload(token: "t", badge: 9))
        #expect(written["message"]?["android"]?["notification"]?["notification_count"] == .integer(3))
    }

    @Test(arguments: ["from", "message_type", "google", "google.sent", "googleX", "gcm", "gcm.n.e", ""])
    func refusesReservedKeys(_ key: String) throws {
        let flaw = try flaw(#"{"\#(key)":"x"}"#)
        #expect(flaw?.path == "data.\(key)")
        #expect(flaw?.message.contains("reserved by Google") == true)
    }

    @Test func refusesAReservedKeyThatFlatteningMakes() throws {
        #expect(try flaw(#"{"google":{"x":"y"}}"#)?.path == "data.google.x")
    }

    @Test func refusesNamesThatFallTogether() throws {
        let flaw = try flaw(#"{"a.b":"1","a":{"b":"2"}}"#)
        #expect(flaw?.path == "data.a.b")
        #expect(flaw?.message.contains("duplicate") == true)
    }

    /// The largest message that fits, and one byte more, with room for the badge.
    @Test(arguments: [false, true]) func refusesWhatIsTooLarge(_ hasBadge: Bool) throws {
        var message = FCMMessage()
        var notification = AndroidNotification()
        notification.badge = hasBadge ? .increment : nil
        message.notification = notification
        let filled = try #require((0...FCMMessage.bytesMaximum).last { (try? template(message, filled: $0)) != nil })
        let longest = try template(message, filled: filled).payload(token: "", badge: .max).count
        #expect(longest >= FCMMessage.bytesMaximum)
        #expect(throws: (any Error).self) { try template(message, filled: filled + 1) }
    }

    private func template(_ message: FCMMessage, filled count: Int) throws -> PayloadTemplate {
        var message = message
        message.data["k"] = String(repeating: "x", count: count)
        return try message.template(path: "message")
    }

    private func data(_ json: JSON) throws -> FlatData {
        try FlatData(#require(json.object), path: "data")
    }

    private func flaw(_ text: String) throws -> RenderingError? {
        let json = try JSON(text)
        return #expect(throws: RenderingError.self) { try data(json) }
    }
}
