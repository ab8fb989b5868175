import JSONKit
import PushModel
import Rendering
import TaskModel
import Testing
import Topics

/// What addresses get, in pushd's form.
@Suite struct HTTPMessageTests {
    private static let id = RenderedTask.idText

    private static func task(_ message: String) throws -> RenderedTask {
        try RenderedTask(message: message, platforms: [.http])
    }

    private static func text(_ task: RenderedTask, language: String? = nil, isSilent: Bool = false) throws -> String {
        let payload = try task.variant(.http, language: language, isSilent: isSilent).payload
        return String(decoding: payload.payload(token: "", badge: 0, proof: "PROOF"), as: UTF8.self)
    }

    @Test func anEventHasTheTextsInAllLanguages() throws {
        var task = try Self.task(
            #"""
            {"title":{"default":"Fire","fr":"Feu","de":"Feuer"},"body":"Run, ${var.name}","data":{"k":1},
            "badge":"increment","image":"https://a.example/i","url":"https://a.example/u"}
            """#)
        task.task.content.variables = ["name": "Ada"]
        task.task.receiptKey = TaskReceiptKey(bytes: Array(repeating: 7, count: 16))
        task.task.target.audience = .topic(try TopicName("sports"))
        let data =
            #"{"k":1,"task_id":"\#(Self.id)","url":"https://a.example/u","image":"https://a.example/i","task_proof":"PROOF"}"#
        let expected =
            #"{"event":"sports","title":{"default":"Fire","de":"Feuer","fr":"Feu"},"#
            + #""message":{"default":"Run, Ada"},"data":\#(data)}"#
        #expect(try Self.text(task) == expected)
        #expect(try Self.text(task, language: "fr") == expected)
        #expect(
            try Self.text(task, isSilent: true) == #"{"event":"sports","title":{},"message":{},"data":\#(data)}"#)
        let variant = try task.variant(.http)
        #expect(variant.pushType.isEmpty && variant.collapseID.isEmpty && variant.payload.slots == [.proof])
    }

    @Test func languagesShareAVariant() throws {
        let rendering = try Self.task(#"{"body":{"default":"b","fr":"c"}}"#).rendering
        #expect(
            rendering.selection(for: .http, language: "fr", isSilent: false)
                == rendering.selection(for: .http, language: nil, isSilent: false))
    }

    @Test func theEventIsTheNameOfItsTopic() throws {
        var task = try Self.task(#"{"body":"b"}"#)
        func event() throws -> JSON? { try task.payload(.http)["event"] }
        #expect(try event() == nil)
        task.task.target.audience = .everyone
        #expect(try event() == .string("broadcast"))
        task.task.target.audience = .all([.topic(try TopicName("a")), .topic(try TopicName("b"))])
        #expect(try event() == nil)
        task.task.target.audience = nil
        let device = DeviceID(index: DeviceIndex(rawValue: 5), tag: 9)
        task.task.target.list = .entries([.device(device)])
        #expect(try event() == .string("unicast:\(device)"))
        task.task.target.list = .entries([.device(device), .device(device)])
        #expect(try event() == nil)
        task.task.target.list = .entries([.alias(try Alias(.externalUser, value: "ada"))])
        #expect(try event() == nil)
        task.task.target.audience = .topic(try TopicName("a"))
        #expect(try event() == nil)
        task.task.target.list = .parts(count: 2, entries: 500)
        #expect(try event() == nil)
    }

    @Test func aPublishersPayloadIsUnchanged() throws {
        let payload = #"{"anything":[1,{"b":null}],"event":"mine"}"#
        let task = try RenderedTask(payloads: [.http: payload])
        #expect(try Self.text(task) == payload)
        #expect(try Self.text(task, isSilent: true) == payload)
    }
}
