import JSONKit
import ProviderKit
import Testing
import Topics

@Suite struct FCMMessageTests {
    @Test func writesWhatGoogleDocuments() throws {
        var message = FCMMessage()
        var notification = FCMMessage.Notification()
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
        try message.setData(JSON(#"{"url":"bells://1"}"#))
        let expected = try JSON(
            #"""
            {"message":{"token":"a\"b","notification":{"title":"Bells","body":"say \"ding\"",
            "image":"https://bells.example/a.png"},"data":{"url":"bells://1"},
            "fcm_options":{"analytics_label":"autumn"},"android":{"priority":"NORMAL","ttl":"90s","collapse_key":"news",
            "notification":{"tag":"task-1","channel_id":"news","sound":"default","click_action":"OPEN"}}}}
            """#)
        #expect(try JSON(message.template().payload(token: #"a\"b"#, badge: 0)) == expected)
    }

    @Test func aDataMessageHasNoNotification() throws {
        var message = FCMMessage()
        try message.setData(JSON(#"{"k":"v"}"#))
        let expected = try JSON(#"{"message":{"token":"t","data":{"k":"v"},"android":{"priority":"HIGH"}}}"#)
        #expect(try JSON(message.template().payload(token: "t", badge: 7)) == expected)
    }

    @Test(arguments: [true, false]) func theBadgeIsANumber(_ hasTag: Bool) throws {
        var message = FCMMessage()
        var notification = FCMMessage.Notification()
        notification.hasBadge = true
        if hasTag { notification.tag = "t" }
        message.notification = notification
        let written = try JSON(message.template().payload(token: "t", badge: 4_294_967_295))
        let onScreen = written["message"]?["android"]?["notification"]
        #expect(onScreen?["notification_count"] == .integer(4_294_967_295))
        #expect(onScreen?["tag"] == (hasTag ? .string("t") : nil))
    }

    @Test func flattensWhatIsNestedAndWritesTexts() throws {
        var message = FCMMessage()
        try message.setData(
            JSON(
                #"""
                {"text":"t","whole":7,"large":18446744073709551615,"part":1.5,"yes":true,"no":null,"empty":{},
                "deep":{"er":{"still":"x","n":-1}},"list":[1,"a",{"b":[]}]}
                """#))
        let data = Dictionary(uniqueKeysWithValues: message.data.map { ($0.key, $0.value) })
        #expect(
            data == [
                "text": "t", "whole": "7", "large": "18446744073709551615", "part": "1.5", "yes": "true",
                "deep.er.still": "x", "deep.er.n": "-1", "list": #"[1,"a",{"b":[]}]"#,
            ])
    }

    @Test(arguments: ["from", "message_type", "google", "google.sent", "googleX", "gcm", "gcm.n.e", ""])
    func refusesReservedKeys(_ key: String) throws {
        var message = FCMMessage()
        let data = try JSON(#"{"\#(key)":"x"}"#)
        #expect(throws: FCMMessage.Flaw.reservedKey(key)) { try message.setData(data) }
        #expect(message.data.isEmpty)
    }

    @Test func refusesAReservedKeyThatFlatteningMakes() throws {
        var message = FCMMessage()
        let data = try JSON(#"{"google":{"x":"y"}}"#)
        #expect(throws: FCMMessage.Flaw.reservedKey("google.x")) { try message.setData(data) }
    }

    @Test func refusesNamesThatFallTogether() throws {
        var message = FCMMessage()
        let data = try JSON(#"{"a.b":"1","a":{"b":"2"}}"#)
        #expect(throws: FCMMessage.Flaw.repeatedKey("a.b")) { try message.setData(data) }
    }

    @Test func refusesWhatIsNoObject() throws {
        var message = FCMMessage()
        #expect(throws: FCMMessage.Flaw.notAnObject) { try message.setData(.array([])) }
    }

    /// The largest that fits, and one byte more, with room kept for the badge.
    @Test(arguments: [false, true]) func refusesWhatIsTooLarge(_ hasBadge: Bool) throws {
        var message = FCMMessage()
        var notification = FCMMessage.Notification()
        notification.hasBadge = hasBadge
        message.notification = notification
        try message.setData(.object(JSONObject([("k", .string(""))])))
        let filled = try #require(FCMMessageTests.bytesUntilFull(message))
        try message.setData(.object(JSONObject([("k", .string(String(repeating: "x", count: filled)))])))
        let template = try message.template()
        let longest = template.payload(token: "", badge: .max).count
        #expect(longest >= FCMMessage.bytesMaximum)
        try message.setData(.object(JSONObject([("k", .string(String(repeating: "x", count: filled + 1)))])))
        #expect(throws: FCMMessage.Flaw.tooLarge(bytes: FCMMessage.bytesMaximum + 1)) { try message.template() }
    }

    private static func bytesUntilFull(_ message: FCMMessage) -> Int? {
        var message = message
        return (0...FCMMessage.bytesMaximum).last { count in
            let text = String(repeating: "x", count: count)
            guard (try? message.setData(.object(JSONObject([("k", .string(text))])))) != nil else { return false }
            return (try? message.template()) != nil
        }
    }
}
