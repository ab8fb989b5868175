import JSONKit
import PushModel
import ServiceKit
import TaskModel
import Testing

/// The fields of a message for single platforms, and messages of a platform's own, as they are written and read.
@Suite struct PlatformFieldsTests {
    private static let android =
        ##"{"channel":"news","priority":-2,"vibration":[0,500,60000],"light":{"color":"#80FF0000","on_ms":50,"off_ms":0},"##
        + ##""visibility":"secret","icon":"bell","color":"#00FF7F","banner":"https://bells.example/b.png","tag":"t","##
        + #""time_to_live":"3m","urgency":"normal","collapse_id":"c"}"#
    private static let apple =
        #"{"thread":"chat","mutable_content":true,"attachments":[{"id":"1","url":"https://bells.example/a.mp4","#
        + #""type":"mp4"},{"id":"2","url":"https://bells.example/b.png"}],"relevance":0.25,"#
        + #""interruption_level":"time-sensitive","time_to_live":"0s","collapse_id":"c"}"#

    private static func list(of element: String, count: Int) -> String {
        Array(repeating: element, count: count).joined(separator: ",")
    }

    private func message(_ text: String, problems: JSONProblems) throws -> PushMessage {
        PushMessage(JSONFields(try JSON(text), path: "message", problems: problems))
    }

    @Test func fieldsAreReadAsTheyAreWritten() throws {
        let text = #"{"body":"b","android":\#(Self.android),"ios":\#(Self.apple)}"#
        let problems = JSONProblems()
        let message = try message(text, problems: problems)
        #expect(problems.all.isEmpty, "\(problems.all)")
        #expect(message.json.compactText == text)
        #expect(message.android?.importance == -2)
        #expect(message.android?.light?.color == HexColor(alpha: 0x80, red: 255, green: 0, blue: 0))
        #expect(message.android?.timeToLive == .seconds(180))
        #expect(message.android?.priority == .normal)
        #expect(message.apple?.attachments.map(\.type) == ["mp4", nil])
        #expect(message.apple?.interruption == .timeSensitive)
        #expect(message.apple?.timeToLive == .zero)
    }

    @Test func fieldsWithoutMembersStayEmpty() throws {
        let problems = JSONProblems()
        let message = try message(#"{"body":"b","android":{},"ios":{}}"#, problems: problems)
        #expect(problems.all.isEmpty)
        #expect(message.android == AndroidFields() && message.apple == AppleFields())
        #expect(try self.message(message.json.compactText, problems: problems) == message)
    }

    /// Providers require all of a light.
    @Test(arguments: [
        ("{}", HexColor.white, 500, 500),
        (##"{"color":"#0000ff"}"##, HexColor(alpha: 255, red: 0, green: 0, blue: 255), 500, 500),
        (#"{"on_ms":50}"#, HexColor.white, 50, 500), (#"{"off_ms":60000}"#, HexColor.white, 500, 60_000),
    ])
    func aPartialLightIsCompleted(text: String, color: HexColor, on: Int, off: Int) throws {
        let problems = JSONProblems()
        let light = try message(#"{"android":{"light":\#(text)}}"#, problems: problems).android?.light
        #expect(problems.all.isEmpty)
        #expect(light?.color == color && light?.onMilliseconds == on && light?.offMilliseconds == off)
    }

    @Test(arguments: [
        (#""android":7"#, "android"), (#""android":{"chanel":"x"}"#, "android.chanel"),
        (#""android":{"channel":""}"#, "android.channel"), (#""android":{"priority":3}"#, "android.priority"),
        (#""android":{"priority":"high"}"#, "android.priority"),
        (#""android":{"vibration":[0,-1]}"#, "android.vibration[1]"),
        (#""android":{"vibration":[60001]}"#, "android.vibration[0]"),
        (#""android":{"vibration":[0.5]}"#, "android.vibration[0]"),
        (#""android":{"vibration":[\#(list(of: "1", count: 65))]}"#, "android.vibration"),
        (#""android":{"light":{"color":"red"}}"#, "android.light.color"),
        (#""android":{"light":{"on_ms":60001}}"#, "android.light.on_ms"),
        (#""android":{"light":{"off":1}}"#, "android.light.off"),
        (#""android":{"visibility":"hidden"}"#, "android.visibility"),
        (##""android":{"color":"#12345"}"##, "android.color"), (##""android":{"color":"#12345G"}"##, "android.color"),
        (##""android":{"color":"1234567"}"##, "android.color"), (##""android":{"color":"#é23456"}"##, "android.color"),
        (#""android":{"banner":""}"#, "android.banner"),
        (#""android":{"time_to_live":"29d"}"#, "android.time_to_live"),
        (#""android":{"time_to_live":60}"#, "android.time_to_live"),
        (#""android":{"urgency":"low"}"#, "android.urgency"),
        (#""android":{"collapse_id":"\#(String(repeating: "é", count: 33))"}"#, "android.collapse_id"),
        (#""ios":{"thread_id":"x"}"#, "ios.thread_id"), (#""ios":{"mutable_content":1}"#, "ios.mutable_content"),
        (#""ios":{"attachments":[{"id":"1"}]}"#, "ios.attachments[0].url"),
        (#""ios":{"attachments":[7]}"#, "ios.attachments[0]"),
        (#""ios":{"attachments":[{"id":"1","url":"u","x":1}]}"#, "ios.attachments[0].x"),
        (#""ios":{"attachments":[\#(list(of: "{}", count: 17))]}"#, "ios.attachments"),
        (#""ios":{"relevance":1.01}"#, "ios.relevance"), (#""ios":{"relevance":-1}"#, "ios.relevance"),
        (#""ios":{"relevance":"1"}"#, "ios.relevance"),
        (#""ios":{"interruption_level":"urgent"}"#, "ios.interruption_level"),
        (#""ios":{"collapse_id":"a\u0007"}"#, "ios.collapse_id"), (#""ios":{"urgency":"high"}"#, "ios.urgency"),
    ])
    func aWrongValueNamesItsField(member: String, path: String) throws {
        let problems = JSONProblems()
        _ = try message("{\(member)}", problems: problems)
        #expect(problems.all.map(\.path) == ["message.\(path)"])
    }

    @Test func aTaskWithMessagesOfPlatformsComesBackAsItWas() throws {
        var task = try PushTaskTests.task()
        var own = PushMessage()
        own.body = LocalizedText("own", translations: ["fr": "propre"])
        own.apple = AppleFields()
        own.apple?.attachments = [AppleFields.Attachment(id: "1", url: "https://bells.example/a.mp4")]
        own.apple?.timeToLive = .milliseconds(1)
        task.content.messages = [.ios: own, .web: PushMessage()]
        task.content.message?.android = AndroidFields()
        task.content.message?.android?.light = AndroidFields.Light()
        let problems = JSONProblems()
        #expect(PushTask(try JSON(task.json.compactText), problems: problems) == task, "\(problems.all)")
    }

    /// Goal: tasks of versions without messages of platforms are still read, and written as those versions read them.
    @Test func aTaskOfBeforeIsUnchanged() throws {
        let task = try PushTaskTests.task()
        let content = try #require(task.json["content"]?.object)
        #expect(content.names == ["message", "platforms", "payloads", "variables"])
        let problems = JSONProblems()
        #expect(PushTask(task.json, problems: problems)?.content.messages.isEmpty == true, "\(problems.all)")
    }
}
