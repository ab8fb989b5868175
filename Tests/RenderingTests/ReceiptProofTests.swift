import JSONKit
import PushModel
import Rendering
import TaskModel
import Testing
import Topics

/// Where an app finds the proof with which it reports a receipt, and what becomes of it without room.
@Suite struct ReceiptProofTests {
    private static let kinds = PushProtocol.ofDevices
    /// The providers that count all bytes of a payload, with their limits.
    private static let limits: [PushProtocol: Int] = [.apns: 4_096, .webpush: 3_993, .wns: 5_000, .mpns: 5_000]
    private static let proof = "T5JNtDiDTRMiFA"

    private static func task(_ message: String, hasKey: Bool = true) throws -> RenderedTask {
        var task = try RenderedTask(message: message, platforms: Set(Platform.allCases))
        if hasKey { task.task.receiptKey = TaskReceiptKey(bytes: Array(repeating: 7, count: 16)) }
        return task
    }

    private static func payload(
        _ task: RenderedTask, _ kind: PushProtocol, isSilent: Bool = false, badge: UInt32 = 0
    ) throws -> [UInt8] {
        try variant(task, kind, isSilent: isSilent).payload.payload(token: "TOKEN", badge: badge, proof: proof)
    }

    private static func variant(
        _ task: RenderedTask, _ kind: PushProtocol, isSilent: Bool = false
    ) throws -> RenderedVariant {
        try task.rendering.variant(for: kind, language: nil, isSilent: isSilent, phone: .withFlipTiles)
    }

    /// What the app gets beside `aps`, or as data.
    private static func data(_ task: RenderedTask, _ kind: PushProtocol, isSilent: Bool = false) throws -> JSON? {
        let bytes = try payload(task, kind, isSilent: isSilent, badge: 3)
        if bytes.first == UInt8(ascii: "<") { return try dataOfToast(String(decoding: bytes, as: UTF8.self)) }
        let payload = try JSON(bytes)
        switch kind {
        case .apns, .wns, .mpns: return payload
        case .fcm: return payload["message"]?["data"]
        case .huawei: return try payload["message"]?["data"]?.text.map { try JSON($0) }
        case .webpush: return payload["notification"]?["data"] ?? payload["data"]
        case .http: return payload["data"]
        case .liveActivity, .channel: return nil
        }
    }

    /// The JSON of a computer's toast, or the query of a phone's.
    private static func dataOfToast(_ xml: String) throws -> JSON? {
        if let launch = xml.firstMatch(of: #/launch="([^"]*)"/#) {
            return try JSON(String(launch.1).replacing("&quot;", with: "\""))
        }
        let query = try #require(xml.firstMatch(of: #/<wp:Param>\?(.*)<\/wp:Param>/#))
        let pairs = String(query.1).replacing("&amp;", with: "&").split(separator: "&").map { $0.split(separator: "=") }
        return .object(JSONObject(pairs.map { (String($0[0]), .string(String($0[1]))) }))
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
            .web: #"{"notification":{"title":"t"}}"#, .windows: #"{"notification":{"title":"t"}}"#, .http: "{}",
        ])
        task.task.receiptKey = TaskReceiptKey(bytes: Array(repeating: 7, count: 16))
        for kind in Self.kinds { #expect(try !task.variant(kind).payload.slots.contains(.proof)) }
        // Nothing is left of it for a silent device, so Carillon writes the data.
        for kind in [PushProtocol.fcm, .webpush, .wns] {
            let data = try Self.data(task, kind, isSilent: true)
            #expect(data?["task_id"] == .string(RenderedTask.idText) && data?["task_proof"] == .string(Self.proof))
        }
    }

    /// Goal: a proof never makes a payload too long, and is left out for no other reason. Method: the longest text with
    /// a proof and the longest without, found by bisection.
    @Test(arguments: kinds, ["", #","badge":"increment""#])
    func withoutRoomItIsLeftOut(_ kind: PushProtocol, badge: String) throws {
        func task(_ count: Int, hasKey: Bool = true) throws -> RenderedTask {
            var task = try Self.task(#"{"body":""\#(badge)}"#, hasKey: hasKey)
            task.task.content.message?.body = LocalizedText(String(repeating: "x", count: count))
            return task
        }
        func longest(_ isTaken: (Int) throws -> Bool) throws -> Int {
            var (taken, refused) = (0, kind == .http ? 70_000 : 6_000)
            while refused - taken > 1 {
                let middle = (taken + refused) / 2
                if try isTaken(middle) { taken = middle } else { refused = middle }
            }
            return taken
        }
        let bare = try longest { (try? Self.variant(task($0, hasKey: false), kind)) != nil }
        let accepted = try longest { (try? Self.variant(task($0), kind)) != nil }
        let proven = try longest { count in
            (try? Self.variant(task(count), kind))?.payload.slots.contains(.proof) ?? false
        }
        #expect(accepted == bare)
        // A comma, the name, a colon, the value. Each of the four quotation marks is escaped in Huawei's text and in
        // XML; a phone's query has none, and an ampersand of five bytes.
        let escapes: [PushProtocol: Int] = [.huawei: 4, .wns: 4 * 5]
        #expect(accepted - proven == 1 + 12 + 1 + 16 + (escapes[kind] ?? 0))
        let atLimit = try Self.payload(task(proven), kind, badge: .max)
        if let limit = Self.limits[kind], !badge.isEmpty { #expect(atLimit.count == limit) }
        #expect(
            try Self.variant(task(proven + 1), kind).payload
                == Self.variant(task(proven + 1, hasKey: false), kind).payload)
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
