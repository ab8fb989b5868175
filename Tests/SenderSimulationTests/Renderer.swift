import Bus
import PushModel
import ServiceKit
import TestSupport
import Topics

/// Stands in for the renderer: one message in each provider's format, and chunks of devices returned by the scheduler.
struct Renderer: Sendable {
    /// The key under which the simulator counts deliveries.
    static let collapseID = "score"

    private static let kinds = PushProtocol.ofDevices
    private static let deadline = SystemTimeSource().now + .seconds(3_600)

    var apns = PayloadTemplate(Array(#"{"aps":{"alert":"Goal"}}"#.utf8))
    var fcm = Renderer.template(#"{"message":{"data":{"task_id":"\#(collapseID)"},"token":""#, end: #""}}"#)
    var huawei = Renderer.template(#"{"message":{"data":"{\"task_id\":\"\#(collapseID)\"}","token":[""#, end: #""]}}"#)
    var webpush = PayloadTemplate(
        Array(
            #"{"web_push":8030,"notification":{"title":"Goal","navigate":"/","data":{"task_id":"\#(collapseID)"}}}"#
                .utf8
        ))
    var wns = PayloadTemplate(
        Array(
            """
            <toast launch="{&quot;task_id&quot;:&quot;\(collapseID)&quot;}"><visual><binding template="ToastText02">\
            <text id="1">Goal</text></binding></visual></toast>
            """.utf8))
    var mpns = PayloadTemplate(
        Array(
            """
            <wp:Notification xmlns:wp="WPNotification"><wp:Toast><wp:Text1>Goal</wp:Text1>\
            <wp:Param>?task_id=\(collapseID)</wp:Param></wp:Toast></wp:Notification>
            """.utf8))
    var http = PayloadTemplate(Array(#"{"title":{"default":"Goal"},"data":{"task_id":"\#(collapseID)"}}"#.utf8))

    /// Returns the variant of a chunk that a device gets.
    static func place(of device: Device) -> UInt8 {
        UInt8(kinds.firstIndex(of: device.token.kind) ?? 0)
    }

    func chunk(
        _ task: TaskID, app: AppID, lane: Lane, attempt: UInt8, repeatsUnknown: Bool = true,
        segments: [SegmentDevices]
    ) -> DispatchChunk {
        DispatchChunk(
            task: task, app: app, lane: lane, attempt: attempt, accepted: 0, deadline: Renderer.deadline.milliseconds,
            countsBadge: false, repeatsUnknown: repeatsUnknown,
            variants: Renderer.kinds.map(variant), segments: segments)
    }

    func chunk(_ audience: AudienceChunk) -> DispatchChunk {
        let segments = audience.segments.map { part in
            var devices = SegmentDevices(segment: part.segment)
            for (place, offset) in part.offsets.enumerated() {
                guard let device = part.device(at: place) else { continue }
                devices.append(offset: offset, variant: Renderer.place(of: device), device: device)
            }
            return devices
        }
        return chunk(
            audience.task, app: audience.app, lane: audience.lane, attempt: audience.attempt, segments: segments)
    }

    static func message(_ chunk: DispatchChunk) -> OutgoingMessage {
        let place = chunk.segments.first?.variants.first ?? 0
        // A segment's chunks are spread over the partitions, so that two senders each get a part of them.
        let key = withUnsafeBytes(of: SystemRandomSource().next()) { Array($0) }
        return DispatchFamily(kinds[Int(place)]).topic.message(chunk, key: key, lane: chunk.lane)
    }

    private func variant(_ kind: PushProtocol) -> RenderedVariant {
        let (payload, pushType) =
            switch kind {
            case .apns: (apns, "alert")
            case .fcm: (fcm, "")
            case .huawei: (huawei, "")
            case .webpush: (webpush, "")
            case .wns: (wns, "wns/toast")
            case .mpns: (mpns, "toast")
            case .http: (http, "")
            case .liveActivity, .channel: preconditionFailure("not a protocol of devices")
            }
        return RenderedVariant(
            kind: kind, priority: .high, pushType: pushType, collapseID: Renderer.collapseID,
            expiration: UInt32(Renderer.deadline.milliseconds / 1_000), payload: payload)
    }

    static func template(_ beginning: String, end: String) -> PayloadTemplate {
        PayloadTemplate(parts: [Array(beginning.utf8), Array(end.utf8)], slots: [.token])
    }
}

/// Renders the chunks that the scheduler releases, for as long as a test runs.
struct RendererStandIn: Service {
    let name = "renderer"
    private let consumer: any BusConsumer
    private let producer: any BusProducer
    private let renderer: Renderer

    init(_ bus: any Bus, renderer: Renderer = Renderer()) async throws {
        consumer = try await bus.makeConsumer(
            ConsumerOptions(channel: Topics.audience.channel(.bulk), group: "renderer"))
        producer = try await bus.makeProducer(ProducerOptions())
        self.renderer = renderer
    }

    func run() async throws {
        try await withCleanup(close) {
            while let delivery = await consumer.next() {
                let chunks = try delivery.messages.map { renderer.chunk(try AudienceChunk(decoding: $0.value)) }
                _ = try await producer.send(chunks.map(Renderer.message))
                consumer.complete(delivery)
            }
        }
    }

    func stop() {
        consumer.stopTaking()
    }

    private func close() async {
        await consumer.close()
        await producer.close()
    }
}
