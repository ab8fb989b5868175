import JSONKit
import PushModel
import ServiceKit
import TaskModel
import Testing
import Topics

@Suite struct ListenerEventTests {
    private static let task = TaskID(high: 1, low: 2)

    private static func event(title: LocalizedText?) throws -> ListenerEvent {
        ListenerEvent(
            task: task, app: try AppID("news"), topics: [try TopicName("sports"), try TopicName("a\"b")], title: title,
            body: LocalizedText("2:1", translations: ["pt_BR": "2 a 1", "fr": "2 à 1"]),
            data: JSONObject([("match", .integer(17))]), time: Timestamp(milliseconds: 1_767_225_600_002))
    }

    @Test func anEventReadsAsItsReadersExpect() throws {
        let expected = """
            {"version":1,"id":"\(Self.task)/event","task":"\(Self.task)","app":"news","topics":["sports","a\\"b"],\
            "body":{"default":"2:1","fr":"2 à 1","pt-br":"2 a 1"},"data":{"match":17},"time":"2026-01-01T00:00:00.002Z"}
            """
        #expect(String(decoding: try Self.event(title: nil).encoded(), as: UTF8.self) == expected)
    }

    @Test(arguments: [nil, LocalizedText("Goal", translations: ["fr": "But"])])
    func anEventIsReadBack(title: LocalizedText?) throws {
        let event = try Self.event(title: title)
        #expect(try ListenerEvent(decoding: event.encoded()) == event)
        #expect(event.event?.id == "\(Self.task)/event" && event.event?.type == "carillon.events.v1")
        #expect(event.key == Array("news".utf8))
    }

    @Test(arguments: [
        (#""version":1"#, #""version":2"#), (#""topics":["sports","a\"b"]"#, #""topics":[]"#),
        (#""topics":["sports""#, #""topics":[1"#), (#""default":"2:1","#, ""), (#""fr":"2 à 1""#, #""fr":2"#),
        (#""body":{"#, #""title":"x","body":{"#), (#""data":{"match":17},"#, ""),
    ])
    func othersAreMalformed(text: String, replacement: String) throws {
        let written = String(decoding: try Self.event(title: nil).encoded(), as: UTF8.self)
        let changed = written.replacing(text, with: replacement)
        #expect(changed != written)
        #expect(throws: MalformedMessageError.self) { try ListenerEvent(decoding: Array(changed.utf8)) }
    }
}
