import JSONKit
import PushModel
import Rendering
import TaskModel
import Testing
import Topics

/// What browsers get, before it is encrypted.
@Suite struct WebPushMessageTests {
    private static let full = #"""
        {"title":{"default":"Fire","fr":"Feu"},"subtitle":"In town","body":{"default":"Run","fr":"Cours"},
        "data":{"k":"v","depth":{"n":2}},"badge":"increment","sound":"ring.caf","category":"news",
        "image":"https://bells.example/a.png","url":"https://bells.example/news/1"}
        """#
    private static let id = RenderedTask.idText

    private static func task(_ message: String) throws -> RenderedTask {
        try RenderedTask(message: message, platforms: [.web])
    }

    private static func text(
        _ task: RenderedTask, language: String? = nil, isSilent: Bool = false, badge: UInt32 = 0
    ) throws -> String {
        let payload = try task.variant(.webpush, language: language, isSilent: isSilent).payload
        return String(decoding: payload.payload(token: "", badge: badge, proof: "PROOF"), as: UTF8.self)
    }

    @Test func aNotificationIsInTheDeclarativeForm() throws {
        var task = try Self.task(Self.full)
        let end = #""tag":"\#(Self.id)","image":"https://bells.example/a.png","data":{"k":"v","depth":{"n":2},"#
        let navigate = #""navigate":"https://bells.example/news/1","#
        #expect(
            try Self.text(task, badge: 7)
                == #"{"web_push":8030,"notification":{"title":"Fire","body":"Run",\#(navigate)\#(end)"#
                + #""task_id":"\#(Self.id)"}},"mutable":true,"app_badge":7}"#)
        task.task.receiptKey = TaskReceiptKey(bytes: Array(repeating: 7, count: 16))
        #expect(
            try Self.text(task, language: "fr_CA", badge: .max)
                == #"{"web_push":8030,"notification":{"title":"Feu","body":"Cours",\#(navigate)"lang":"fr",\#(end)"#
                + #""task_id":"\#(Self.id)","task_proof":"PROOF"}},"mutable":true,"app_badge":4294967295}"#)
        let variant = try task.variant(.webpush)
        #expect(variant.kind == .webpush && variant.priority == .high && variant.pushType.isEmpty)
        #expect(variant.collapseID == Self.id && variant.expiration == 1_760_003_600 && !variant.isSilent)
    }

    @Test func aSilentDeviceGetsDataAndBadgeAlone() throws {
        let task = try Self.task(Self.full)
        #expect(
            try Self.text(task, isSilent: true, badge: 7)
                == #"{"data":{"k":"v","depth":{"n":2},"task_id":"\#(Self.id)"},"app_badge":7}"#)
        let variant = try task.variant(.webpush, isSilent: true)
        #expect(variant.isSilent && variant.priority == .normal && variant.collapseID == Self.id)
        let silent = try Self.task(#"{"title":"Never shown","data":{"k":"v"},"silent":true}"#)
        #expect(try Self.text(silent) == #"{"data":{"k":"v","task_id":"\#(Self.id)"}}"#)
        let badge = try Self.task(#"{"badge":0}"#)
        #expect(try Self.text(badge) == #"{"data":{"task_id":"\#(Self.id)"},"app_badge":0}"#)
    }

    /// The form requires a title and an address.
    @Test(
        arguments: [
            (#"{"title":"T","body":"B"}"#, "T", "B"), (#"{"body":"B"}"#, "B", nil), (#"{"title":"T"}"#, "T", nil),
            (#"{"title":"","body":"B"}"#, "B", nil), (#"{"subtitle":"S"}"#, "S", nil),
            (#"{"title":{"default":"","fr":"F"},"body":"B"}"#, "B", nil),
        ] as [(String, String, String?)])
    func theTitleIsNeverMissing(message: String, title: String, body: String?) throws {
        let notification = try #require(try Self.task(message).payload(.webpush)["notification"])
        #expect(notification["title"] == .string(title))
        #expect(notification["body"] == body.map { .string($0) })
    }

    @Test func theAddressIsTheMessagesOrTheAppsOrTheRoot() throws {
        var task = try Self.task(#"{"body":"b"}"#)
        func navigate() throws -> JSON? { try task.payload(.webpush)["notification"]?["navigate"] }
        #expect(try navigate() == .string("/"))
        task.task.content.navigate = "https://bells.example/"
        #expect(try navigate() == .string("https://bells.example/"))
        task.task.content.message?.url = "https://bells.example/1"
        #expect(try navigate() == .string("https://bells.example/1"))
    }

    @Test func aPublishersNotificationIsCompleted() throws {
        var task = try RenderedTask(payloads: [
            .web: #"""
            {"notification":{"title":"T","icon":"/i.png","badge":"/b.png","dir":"rtl","silent":true,
            "requireInteraction":true,"actions":[{"action":"a","title":"A","navigate":"/a"}],"data":{"x":1}},
            "mine":[1]}
            """#
        ])
        task.task.content.navigate = "https://bells.example/"
        task.task.receiptKey = TaskReceiptKey(bytes: Array(repeating: 7, count: 16))
        #expect(
            try Self.text(task)
                == #"{"web_push":8030,"notification":{"title":"T","icon":"/i.png","badge":"/b.png","dir":"rtl","#
                + #""silent":true,"requireInteraction":true,"actions":[{"action":"a","title":"A","navigate":"/a"}],"#
                + #""data":{"x":1},"navigate":"https://bells.example/","tag":"\#(Self.id)"},"mutable":true,"mine":[1]}"#
        )
        #expect(try Self.text(task, isSilent: true) == #"{"mine":[1],"data":{"x":1}}"#)
    }

    @Test func aPublishersOwnMembersAreKept() throws {
        var task = try RenderedTask(payloads: [
            .web: #"""
            {"web_push":8030,"mutable":false,"app_badge":3,
            "notification":{"title":"T","navigate":"https://a.example/","tag":"t"}}
            """#
        ])
        task.task.content.message = PushMessage()
        task.task.content.message?.badge = .increment
        let kept =
            #"{"notification":{"title":"T","navigate":"https://a.example/","tag":"t"},"web_push":8030,"#
            + #""mutable":false,"app_badge":3}"#
        #expect(try Self.text(task, badge: 9) == kept)
        #expect(try Self.text(task, isSilent: true, badge: 9) == #"{"mutable":false,"app_badge":3}"#)
        task.task.content.payloads[.web] = try JSON(#"{"title":"own form","n":1}"#).object
        #expect(try Self.text(task, badge: 9) == #"{"title":"own form","n":1,"app_badge":9}"#)
        task.task.content.message = nil
        #expect(try Self.text(task, isSilent: true) == #"{"title":"own form","n":1}"#)
        task.task.content.payloads[.web] = try JSON(#"{"notification":{"title":"T"}}"#).object
        #expect(try Self.text(task, isSilent: true) == #"{"data":{"task_id":"\#(Self.id)"}}"#)
    }

    @Test(arguments: [
        ("{}", "payloads.web"), (#"{"notification":"x"}"#, "payloads.web.notification"),
        (#"{"notification":{}}"#, "payloads.web.notification.title"),
        (#"{"notification":{"title":""}}"#, "payloads.web.notification.title"),
        (#"{"notification":{"title":7}}"#, "payloads.web.notification.title"),
    ])
    func aPayloadThatNoBrowserShowsIsRefused(payload: String, path: String) throws {
        let task = try RenderedTask(payloads: [.web: payload])
        #expect(task.flaw(.webpush)?.path == path)
        #expect(task.rendering.checkLimits().map(\.path) == [path])
    }
}
