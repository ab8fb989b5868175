import JSONKit
import PushModel
import ServiceKit
import Testing

@testable import IngestAPI

/// The body of `send-batch` is read once, and refused as a whole.
@Suite(.timeLimit(.minutes(5))) struct BatchReaderTests {
    private static let token = "eFfxdO7uCMw:APA91bF1tN3X3BAbiJXsQhk-0123456789"

    private func outline(_ body: String) throws -> BatchOutline {
        try BatchReader.outline(of: Array(body.utf8))
    }

    /// The paths of the problems; empty if the body is accepted or malformed.
    private func problems(_ body: String) -> [String] {
        do {
            _ = try outline(body)
            return []
        } catch TaskError.invalid(let problems) {
            return problems.map(\.path)
        } catch {
            return []
        }
    }

    @Test func theSampleIsRead() throws {
        let outline = try outline(AppMetricaSamples.request(clientID: "9223372036854775807"))
        #expect(outline.group == 1)
        #expect(outline.clientID == .max)
        #expect(outline.tag == "spring")
        #expect(outline.elements.count == 1)
        #expect(outline.lists.map(\.type) == BatchIDType.allCases)
        #expect(outline.idCount == 8)
        #expect(outline.taskIDCounts == [8])
        #expect(outline.isUniform)
        #expect(outline.platforms == [.android, .ios])
        #expect(outline.timeToLive == .seconds(3_600))
        #expect(outline.failures.isEmpty)
        #expect(outline.unknownNames.isEmpty)
    }

    @Test(arguments: [
        ("{}", ["push_batch_request"]),
        (#"{"push_batch_request":[]}"#, ["push_batch_request"]),
        (
            #"{"push_batch_request":{}}"#,
            ["push_batch_request.batch", "push_batch_request.group_id", "push_batch_request.tag"]
        ),
    ])
    func whatIsMissingIsNamed(_ body: String, paths: [String]) {
        #expect(problems(body) == paths)
    }

    @Test(arguments: ["[]", "1", "\"x\"", "null"]) func onlyAnObjectIsRead(_ body: String) {
        #expect(problems(body) == [""])
    }

    @Test(arguments: [
        (#""group_id":"1""#, "group_id"), (#""group_id":0"#, "group_id"), (#""group_id":-1"#, "group_id"),
        (#""group_id":1.5"#, "group_id"), (#""group_id":4294967296"#, "group_id"),
        (#""tag":"""#, "tag"), (#""tag":7"#, "tag"), (#""tag":"a\u0000b""#, "tag"),
        (#""client_transfer_id":"7""#, "client_transfer_id"),
        (#""client_transfer_id":9223372036854775808"#, "client_transfer_id"),
        (#""client_transfer_id":1.0"#, "client_transfer_id"),
        (#""batch":[]"#, "batch"), (#""batch":{}"#, "batch"), (#""batch":[1]"#, "batch[0]"),
    ])
    func wrongFieldsOfTheRequestAreRefused(_ member: String, name: String) {
        #expect(problems(AppMetricaSamples.request(replacing: member)) == ["push_batch_request.\(name)"])
    }

    @Test(arguments: ["-9223372036854775808", "0", "9223372036854775807"])
    func aClientIDHasSixtyFourBits(_ id: String) throws {
        #expect(try outline(AppMetricaSamples.request(clientID: id)).clientID == Int64(id))
    }

    /// Such a number is not valid in any field.
    @Test func aNumberBelowTheSmallestIsMalformed() {
        #expect(throws: BodyError.self) { try outline(AppMetricaSamples.request(clientID: "-9223372036854775809")) }
    }

    @Test func aTagIsBounded() {
        let longest = String(repeating: "t", count: 255)
        #expect(problems(AppMetricaSamples.request(replacing: #""tag":"\#(longest)""#)).isEmpty)
        #expect(
            problems(AppMetricaSamples.request(replacing: #""tag":"\#(longest)t""#)) == ["push_batch_request.tag"])
    }

    @Test(arguments: [
        (#"[]"#, ""), (#"[{"id_type":"ios_ifa","id_values":[]}]"#, "[0].id_values"),
        (#"[{"id_values":["42"]}]"#, "[0].id_type"), (#"[{"id_type":"appmetrica_device_id"}]"#, "[0].id_values"),
        (#"[{"id_type":"email","id_values":["42"]}]"#, "[0].id_type"),
        (#"[{"id_type":3,"id_values":["42"]}]"#, "[0].id_type"),
        (#"[{"id_type":"appmetrica_device_id","id_values":"42"}]"#, "[0].id_values"),
        (#"[{"id_type":"appmetrica_device_id","id_values":[42]}]"#, "[0].id_values[0]"),
        (#"[{"id_type":"appmetrica_device_id","id_values":["42",""]}]"#, "[0].id_values[1]"),
        (#"[{"id_type":"appmetrica_device_id","id_values":["18446744073709551616"]}]"#, "[0].id_values[0]"),
        (#"[{"id_type":"ios_ifa","id_values":["8A690667-6204-4A6A-9B38-85DE016....."]}]"#, "[0].id_values[0]"),
        (#"[{"id_type":"google_aid","id_values":["eb5f3ec8-2e3e-492f-b15b-d21860b....."]}]"#, "[0].id_values[0]"),
        (
            #"[{"id_type":"android_push_token","id_values":["eFfxdO7uCMw:APA91bF1tN3X3BAbiJXsQhk-..."]}]"#,
            "[0].id_values[0]"
        ),
        (
            #"[{"id_type":"ios_push_token","id_values":["F6A79E9F844A24C5FBED5C58A4C71561C180F........."]}]"#,
            "[0].id_values[0]"
        ),
        (#"[{"id_type":"huawei_push_token","id_values":["0866422030....."]}]"#, "[0].id_values[0]"),
        (#"[{"id_type":"huawei_oaid","id_values":["ecef47f7-fcce-ad....."]}]"#, "[0].id_values[0]"),
        (#"["42"]"#, "[0]"),
    ])
    func wrongListsAreRefused(_ devices: String, path: String) {
        #expect(
            problems(AppMetricaSamples.request(devices: devices)) == ["push_batch_request.batch[0].devices\(path)"])
    }

    @Test func theTypeMayFollowTheIDs() throws {
        let outline = try outline(
            AppMetricaSamples.request(devices: #"[{"id_values":["1","2"],"id_type":"appmetrica_device_id"}]"#))
        #expect(outline.lists.map(\.count) == [2])
        #expect(
            problems(AppMetricaSamples.request(devices: #"[{"id_values":["x"],"id_type":"appmetrica_device_id"}]"#))
                == ["push_batch_request.batch[0].devices[0].id_values[0]"])
    }

    @Test func anIDMayBeEscaped() throws {
        let devices = #"[{"id_type":"appmetrica_device_id","id_values":["\u0034\u0032"]}]"#
        #expect(try outline(AppMetricaSamples.request(devices: devices)).idCount == 1)
    }

    @Test(arguments: [
        (#"{}"#, ""), (#"[]"#, ""),
        (#"{"android":{}}"#, ".android.content"), (#"{"android":{"content":{}}}"#, ".android.content.title"),
        (#"{"ios":{"content":{"title":"T"}}}"#, ".ios.content.text"),
        (#"{"iOS":{"silent":true},"ios":{"silent":true}}"#, ".ios"),
        (#"{"android":{"silent":"yes"}}"#, ".android.silent"),
        (#"{"android":{"silent":true,"content":{"priority":3}}}"#, ".android.content.priority"),
        (#"{"android":{"silent":true,"content":{"priority":"1"}}}"#, ".android.content.priority"),
        (#"{"android":{"silent":true,"content":{"vibration":[0,-1]}}}"#, ".android.content.vibration[1]"),
        (#"{"android":{"silent":true,"content":{"led_color":"red"}}}"#, ".android.content.led_color"),
        (#"{"android":{"silent":true,"content":{"visibility":"all"}}}"#, ".android.content.visibility"),
        (#"{"android":{"silent":true,"content":{"urgency":"low"}}}"#, ".android.content.urgency"),
        (#"{"android":{"silent":true,"content":{"time_to_live":-1}}}"#, ".android.content.time_to_live"),
        (#"{"android":{"silent":true,"content":{"image":"http://example.com/a.png"}}}"#, ".android.content.image"),
        (#"{"ios":{"silent":true,"content":{"sound":"bell"}}}"#, ".ios.content.sound"),
        (#"{"ios":{"silent":true,"content":{"badge":-1}}}"#, ".ios.content.badge"),
        (#"{"ios":{"silent":true,"content":{"mutable_content":2}}}"#, ".ios.content.mutable_content"),
        (#"{"ios":{"silent":true,"content":{"attachments":[{"id":"a"}]}}}"#, ".ios.content.attachments[0].file_url"),
    ])
    func wrongMessagesAreRefused(_ messages: String, path: String) {
        let found = problems(AppMetricaSamples.request(messages: messages))
        #expect(found.first == "push_batch_request.batch[0].messages\(path)", "\(found)")
    }

    @Test func membersGivenTwiceAreRefused() {
        let twice = #""group_id":1,"group_id":2"#
        #expect(
            problems(AppMetricaSamples.request(replacing: twice)) == ["push_batch_request.group_id"])
    }

    /// The client gets an answer at once, and the reason with the status.
    @Test(arguments: [
        (#"{"ios":{"silent":true}}"#, "google_aid", "eb5f3ec8-2e3e-492f-b15b-d21860b0a7c1", "android"),
        (#"{"ios":{"silent":true}}"#, "android_push_token", Self.token, "android"),
        (#"{"android":{"silent":true}}"#, "ios_ifa", "8A690667-6204-4A6A-9B38-85DE01600000", "ios"),
    ])
    func idsOfAPlatformWithoutAMessageFailLater(
        _ messages: String, type: String, id: String, platform: String
    ) throws {
        let devices = #"[{"id_type":"\#(type)","id_values":["\#(id)"]}]"#
        let outline = try outline(AppMetricaSamples.request(messages: messages, devices: devices))
        #expect(
            outline.failures == ["Identifier type \(type) requires defined message for platform \(platform)"])
    }

    @Test func unknownFieldsAreNamed() throws {
        let messages = #"{"android":{"silent":true,"contentt":{},"content":{"explicit":1}}}"#
        let outline = try outline(AppMetricaSamples.request(replacing: #""later":[{"a":[]}]"#, messages: messages))
        #expect(outline.unknownNames.sorted() == ["contentt", "explicit", "later"])
    }

    /// A body of the greatest allowed length has an outline; one more id is refused.
    @Test(arguments: [250_000, 250_001]) func idsAreCounted(_ count: Int) {
        let ids = (1...count).map { "\"\($0)\"" }.joined(separator: ",")
        let devices = #"[{"id_type":"appmetrica_device_id","id_values":[\#(ids)]}]"#
        #expect(
            problems(AppMetricaSamples.request(devices: devices))
                == (count > 250_000 ? ["push_batch_request.batch"] : []))
    }

    @Test func aBodyThatIsCutOffIsRefused() {
        let body = AppMetricaSamples.request()
        for count in stride(from: 0, to: body.utf8.count, by: 7) {
            #expect(throws: (any Error).self) { try outline(String(decoding: body.utf8.prefix(count), as: UTF8.self)) }
        }
    }

    @Test func whatFollowsTheBodyIsRefused() {
        #expect(throws: BodyError.self) { try outline(AppMetricaSamples.request() + "}") }
    }

    /// An id gets the message of each of its elements, so its second one needs a second task.
    @Test func anIDInSeveralElementsNeedsSeveralTasks() throws {
        let elements = (1...3).map { AppMetricaSamples.element("Text \($0)", ids: ["1", "2", "2", "\(10 + $0)"]) }
        let outline = try outline(AppMetricaSamples.request(elements: elements))
        #expect(outline.taskIDCounts == [6, 3, 3])
        #expect(outline.idCount == 12)
        #expect(!outline.isUniform)
        let many = (1...17).map { AppMetricaSamples.element("Text \($0)", ids: ["1"]) }
        #expect(
            problems(AppMetricaSamples.request(elements: many))
                == ["push_batch_request.batch[16].devices[0].id_values[0]"])
    }
}
