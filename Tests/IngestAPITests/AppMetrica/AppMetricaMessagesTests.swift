import JSONKit
import PushModel
import TaskModel
import Testing

@testable import IngestAPI

/// AppMetrica's messages in the words of tasks.
@Suite struct AppMetricaMessagesTests {
    private func content(_ messages: String) throws -> TaskContent {
        try AppMetricaMessages.content(of: Array(messages.utf8)[...])
    }

    @Test func allFieldsAreRead() throws {
        let content = try content(AppMetricaSamples.messages)
        let google = try #require(content.messages[.android])
        #expect(google.title == LocalizedText("Title"))
        #expect(google.body == LocalizedText("Text"))
        #expect(google.image == "https://example.com/picture.jpg")
        #expect(google.data == JSONObject([("data", .string("payload")), ("deeplink", .string("yandexmaps://?"))]))
        #expect(google.badge == nil)
        #expect(google.sound == nil)
        var android = AndroidFields()
        android.channel = "news"
        android.importance = -2
        android.vibration = [0, 500]
        var light = AndroidFields.Light()
        light.color = try #require(HexColor("#00FF00"))
        light.onMilliseconds = 50
        light.offMilliseconds = 60
        android.light = light
        android.visibility = .public
        android.icon = "bell"
        android.color = HexColor("#80FF8800")
        android.banner = "https://example.com/banner.jpg"
        android.tag = "2001"
        android.timeToLive = .seconds(180)
        android.priority = .high
        #expect(google.android == android)

        let phone = try #require(content.messages[.ios])
        #expect(phone.badge == .set(1))
        #expect(phone.sound == nil)
        #expect(phone.category == "category")
        #expect(phone.url == "https://example.com/")
        #expect(phone.data == JSONObject([("data", .string("payload"))]))
        var apple = AppleFields()
        apple.thread = "thread"
        apple.isMutable = true
        apple.attachments = [AppleFields.Attachment(id: "photo", url: "https://example.com/a.png", type: "png")]
        apple.timeToLive = .seconds(3_600)
        apple.collapseID = "collapse"
        #expect(phone.apple == apple)
    }

    @Test func aSilentMessageNeedsNothing() throws {
        let content = try content(#"{"android":{"silent":true},"ios":{"silent":true,"content":{"data":"x"}}}"#)
        #expect(content.messages[.android]?.isSilent == true)
        #expect(content.messages[.android]?.title == nil)
        #expect(content.messages[.ios]?.isSilent == true)
        #expect(content.messages[.ios]?.data["data"] == .string("x"))
        #expect(content.targetedPlatforms == [.android, .ios])
    }

    @Test(arguments: [
        (##""led_color":"#FF0000""##, "#FF0000", 500, 500), (#""led_interval":9"#, "#FFFFFF", 9, 500),
        (#""led_pause_interval":0"#, "#FFFFFF", 500, 0),
    ])
    func aPartialLightIsCompleted(_ member: String, color: String, on: Int, off: Int) throws {
        let content = try content(#"{"android":{"silent":true,"content":{\#(member)}}}"#)
        let light = try #require(content.messages[.android]?.android?.light)
        #expect(light.color.text == color)
        #expect(light.onMilliseconds == on)
        #expect(light.offMilliseconds == off)
    }

    /// Pushes without a number replace each other, as AppMetrica documents.
    @Test func theNumberOfANotificationIsZeroByDefault() throws {
        #expect(try content(#"{"android":{"silent":true,"content":{}}}"#).messages[.android]?.android?.tag == "0")
    }

    /// AppMetrica has no variables, so nothing in a text is one.
    @Test func aTextMayLookLikeAVariable() throws {
        let content = try content(
            #"{"android":{"content":{"title":"Pay $5","text":"${data.data} and ${x"}}}"#)
        let message = try #require(content.messages[.android])
        #expect(message.title == LocalizedText("${var.android.title}"))
        #expect(content.variables == ["android.title": "Pay $5", "android.text": "${data.data} and ${x"])
    }

    @Test func aSoundIsPlayedIfAsked() throws {
        #expect(
            try content(#"{"ios":{"silent":true,"content":{"sound":"default"}}}"#).messages[.ios]?.sound == "default")
    }

    @Test func aLongLifeIsCut() throws {
        let content = try content(#"{"ios":{"silent":true,"content":{"expiration":2147483647}}}"#)
        #expect(content.messages[.ios]?.apple?.timeToLive == .seconds(28 * 86_400))
    }
}
