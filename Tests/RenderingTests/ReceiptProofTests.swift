import JSONKit
import PushModel
import Rendering
import TaskModel
import Testing
import Topics

/// Where an app finds the proof with which it reports a receipt, and what becomes of it without room.
@Suite struct ReceiptProofTests {
    private static let kinds: [PushProtocol] = [.apns, .fcm, .huawei]
    private static let proof = "T5JNtDiDTRMiFA"

    private static func task(_ message: String, hasKey: Bool = true) throws -> RenderedTask {
        var task = try RenderedTask(message: message)
        if hasKey { task.task.receiptKey = TaskReceiptKey(bytes: Array(repeating: 7, count: 16)) }
        return task
    }

    private static func payload(
        _ task: RenderedTask, _ kind: PushProtocol, isSilent: Bool = false, badge: UInt32 = 0
    ) throws -> [UInt8] {
        try task.variant(kind, isSilent: isSilent).payload.payload(token: "TOKEN", badge: badge, proof: proof)
    }

    /// What the app gets beside `aps`, or as data.
    private static func data(_ task: RenderedTask, _ kind: PushProtocol, isSilent: Bool = false) throws -> JSON? {
        let payload = try JSON(payload(task, kind, isSilent: isSilent, badge: 3))
        switch kind {
        case .apns: return payload
        case .fcm: return payload["message"]?["data"]
        default: return try payload["message"]?["data"]?.text.map { try JSON($0) }
        }
    }

    @Test(arguments: kinds, [#"{"body":"b","badge":"increment","data":{"k":"v"}}"#, #"{"data":{}}"#])
    func theProofIsBesideTheTask(_ kind: PushProtocol, message: String) throws {
        let task = try Self.task(message)
        for isSilent in [false, true] {
            let data = try Self.data(task, kind, isSilent: isSilent)
            #expect(data?["task_id"] == .string(RenderedTask.idText))
            #expect(data?["task_proof"] == .string(Self.proof))
        }
        let old = try Self.task(message, hasKey: false)
        #expect(try Self.data(old, kind)?["task_id"] == .string(RenderedTask.idText))
        #expect(try Self.data(old, kind)?["task_proof"] == nil)
        #expect(try !old.variant(kind).payload.slots.contains(.proof))
    }

    /// An app that gets another task's id, or a value of its publisher, has no use for the proof.
    @Test(arguments: kinds, [#"{"task_id":"x"}"#, #"{"task_proof":"x"}"#])
    func aPublishersOwnNamesAreKept(_ kind: PushProtocol, data: String) throws {
        let task = try Self.task(#"{"body":"b","data":\#(data)}"#)
        let name = data.contains("proof") ? "task_proof" : "task_id"
        #expect(try Self.data(task, kind)?[name] == .string("x"))
        #expect(try !task.variant(kind).payload.slots.contains(.proof))
    }

    @Test func aWrittenPayloadHasNone() throws {
        var task = try RenderedTask(payloads: [
            .ios: #"{"aps":{"alert":"x"}}"#, .android: #"{"notification":{"title":"t"}}"#,
        ])
        task.task.receiptKey = TaskReceiptKey(bytes: Array(repeating: 7, count: 16))
        for kind in Self.kinds { #expect(try !task.variant(kind).payload.slots.contains(.proof)) }
        // Nothing is left of it for a silent device, so Carillon writes the data.
        let data = try Self.data(task, .fcm, isSilent: true)
        #expect(data?["task_id"] == .string(RenderedTask.idText) && data?["task_proof"] == .string(Self.proof))
    }

    /// Goal: a proof never makes a payload too long, and is left out for no other reason. Method: the longest text with
    /// a proof and the longest without, found by bisection.
    @Test(arguments: kinds, ["", #","badge":"increment""#])
    func withoutRoomItIsLeftOut(_ kind: PushProtocol, badge: String) throws {
        func task(_ count: Int, hasKey: Bool = true) throws -> RenderedTask {
            try Self.task(#"{"body":"\#(String(repeating: "x", count: count))"\#(badge)}"#, hasKey: hasKey)
        }
        func longest(_ isTaken: (Int) throws -> Bool) throws -> Int {
            var (taken, refused) = (0, 4_096)
            while refused - taken > 1 {
                let middle = (taken + refused) / 2
                if try isTaken(middle) { taken = middle } else { refused = middle }
            }
            return taken
        }
        let bare = try longest { try task($0, hasKey: false).flaw(kind) == nil }
        let accepted = try longest { try task($0).flaw(kind) == nil }
        let proven = try longest { count in
            (try? task(count).variant(kind))?.payload.slots.contains(.proof) ?? false
        }
        #expect(accepted == bare)
        // A comma, the name, a colon, the value; in Huawei's text each of the four quotation marks is escaped.
        #expect(accepted - proven == 1 + 12 + 1 + 16 + (kind == .huawei ? 4 : 0))
        let atLimit = try Self.payload(task(proven), kind, badge: .max)
        #expect(kind != .apns || badge.isEmpty || atLimit.count == 4_096)
        #expect(try task(proven + 1).variant(kind).payload == task(proven + 1, hasKey: false).variant(kind).payload)
    }

    /// Huawei gets one request for many devices with one payload.
    @Test func forHuaweiOnlyAShortListHasProofs() throws {
        var task = try Self.task(#"{"body":"b"}"#)
        let entries = (0..<101).map { TargetEntry.device(DeviceID(index: DeviceIndex(rawValue: $0), tag: 1)) }
        func hasProof() throws -> Bool { try task.variant(.huawei).payload.slots.contains(.proof) }
        task.task.target.list = .entries(Array(entries.prefix(100)))
        #expect(try hasProof())
        task.task.target.list = .entries(entries)
        #expect(try !hasProof())
        task.task.target.list = .parts(count: 2, entries: 500)
        #expect(try !hasProof())
        task.task.target.list = .entries([])
        task.task.target.audience = .everyone
        #expect(try !hasProof())
        #expect(try task.variant(.fcm).payload.slots.contains(.proof))
    }
}
