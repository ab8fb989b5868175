import PushModel
import ServiceKit
import Testing
import Topics

@Suite struct ReceiptBatchTests {
    private static let task = TaskID(high: 1, low: 2)
    private static let opened = DeviceReceipt(
        device: DeviceID(index: DeviceIndex(rawValue: 5), tag: 9), on: .ios, kind: .opened, action: "",
        time: Timestamp(milliseconds: 1_767_225_600_000))
    private static let acted = DeviceReceipt(
        device: DeviceID(index: DeviceIndex(rawValue: 6), tag: 9), on: .web, kind: .action, action: "reply",
        time: Timestamp(milliseconds: 1_767_225_600_001))

    private static func batch(_ receipts: [DeviceReceipt] = [opened, acted], day: UInt16 = 20_454) throws
        -> ReceiptBatch
    {
        ReceiptBatch(
            task: task, app: try AppID("news"), day: day, time: Timestamp(milliseconds: 1_767_225_600_002),
            receipts: receipts)
    }

    @Test func aBatchReadsAsAnalystsExpect() throws {
        let (first, second) = (Self.opened.device, Self.acted.device)
        let expected = """
            {"version":1,"task":"\(Self.task)","app":"news","began":"2026-01-01","time":"2026-01-01T00:00:00.002Z",\
            "receipts":[{"id":"\(Self.task)/\(first)/opened","device":"\(first)","platform":"ios",\
            "kind":"opened","at":"2026-01-01T00:00:00.000Z"},{"id":"\(Self.task)/\(second)/action/reply","device":"\(second)",\
            "platform":"web","kind":"action","action":"reply","at":"2026-01-01T00:00:00.001Z"}]}
            """
        #expect(String(decoding: try Self.batch().encoded(), as: UTF8.self) == expected)
    }

    @Test(arguments: [UInt16(0), 20_454, .max]) func aBatchIsReadBack(day: UInt16) throws {
        let batch = try Self.batch(day: day)
        #expect(try ReceiptBatch(decoding: batch.encoded()) == batch)
    }

    /// The id of the event depends on what was reported, and neither on the order nor on the time.
    @Test func aRepeatHasTheSameEvent() throws {
        let event = try #require(try Self.batch().event)
        #expect(try Self.batch([Self.acted, Self.opened]).event?.id == event.id)
        #expect(event.type == "carillon.receipts.v1" && event.subject == "\(Self.task)")
        let other = DeviceReceipt(
            device: Self.acted.device, on: .web, kind: .action, action: "like", time: Self.acted.time)
        let dismissed = DeviceReceipt(
            device: Self.opened.device, on: .ios, kind: .dismissed, action: "", time: Self.opened.time)
        let ids = try [[Self.opened, other], [dismissed, Self.acted], [Self.opened]].map {
            try Self.batch($0).event?.id
        }
        #expect(Set(ids + [event.id]).count == 4)
    }

    @Test(arguments: [
        (#""kind":"opened""#, #""kind":"read""#), (#""platform":"web""#, #""platform":"tv""#),
        (#""platform":"ios","#, ""), (#""action":"reply""#, #""action":"a/b""#),
        (#""kind":"opened""#, #""kind":"opened","action":"x""#), (#","action":"reply""#, ""),
        (#""began":"2026-01-01""#, #""began":"2026-01-32""#), (#""began":"2026-01-01""#, #""began":"1969-12-31""#),
        (#""began":"2026-01-01""#, #""began":"2150-01-01""#), (#""version":1"#, #""version":2"#),
        (#""at":"2026-01-01T00:00:00.000Z""#, #""at":"today""#),
    ])
    func othersAreMalformed(text: String, replacement: String) throws {
        let written = String(decoding: try Self.batch().encoded(), as: UTF8.self)
        let changed = written.replacing(text, with: replacement)
        #expect(changed != written)
        #expect(throws: MalformedMessageError.self) { try ReceiptBatch(decoding: Array(changed.utf8)) }
    }
}
