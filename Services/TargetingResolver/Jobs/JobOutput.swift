import Bus
import PushModel
import ServiceKit
import Store
import TaskKit
import Topics

/// Messages to send once devices are marked: chunks of those to be rendered, orders that release those to be deferred,
/// and results of those that ended with their mark.
struct JobOutput: Sendable {
    private(set) var deviceCount = 0
    /// Providers of the devices.
    private(set) var providers: Set<PushProtocol> = []
    let task: TaskID
    let lane: Lane
    private let app: AppID
    private let trace: TraceContext?
    private var split: AudienceSplit
    private var ended: [DeviceResult] = []
    private var orders: [RetryOrder] = []
    /// Devices to be deferred once the messages are durable.
    private(set) var deferrals: [(segment: SegmentID, groups: [Deferral])] = []

    /// The content is included if it is short.
    init(of task: TaskID, app: AppID, lane: Lane, content: [UInt8] = [], trace: TraceContext?) {
        self.task = task
        self.app = app
        self.lane = lane
        self.trace = trace
        split = AudienceSplit(
            task: task, app: app, lane: lane, attempt: 0,
            content: content.count <= AudienceChunk.contentBytesMaximum ? content : [])
    }

    var isEmpty: Bool { deviceCount == 0 && ended.isEmpty }

    mutating func add(_ marked: [MarkedDevices]) {
        for part in marked {
            add(part)
            `defer`(part)
            ended += part.ended
        }
    }

    private mutating func add(_ marked: MarkedDevices) {
        guard !marked.open.isEmpty else { return }
        let targets = marked.targets
        var lastKind: PushProtocol?
        for (position, offset) in targets.records.offsets.enumerated() where marked.open.contains(offset) {
            let record = targets.records.record(at: position)
            split.append(
                offset, of: targets.segment, record: record, isSilent: targets.silent.contains(offset),
                content: targets.contents[offset] ?? .ofTask)
            if let kind = Device.PackedHead(record)?.kind, kind != lastKind {
                providers.insert(kind)
                lastKind = kind
            }
            deviceCount += 1
        }
    }

    private mutating func `defer`(_ marked: MarkedDevices) {
        guard !marked.deferrals.isEmpty else { return }
        let segment = SegmentID(app, number: marked.targets.segment)
        deferrals.append((segment, marked.deferrals))
        orders += DeferralOrders(of: task, in: segment).orders(
            marked.deferrals, devices: marked.targets.records, silent: marked.targets.silent,
            contents: marked.targets.contents)
        deviceCount += marked.deferrals.reduce(0) { $0 + $1.offsets.count }
    }

    func messages(at time: Timestamp) -> [OutgoingMessage] {
        let chunks = split.chunks().map { chunk in
            let key = chunk.segments.first.map { Topics.key(chunk.task, segment: $0.segment) }
            return Topics.audience.message(chunk, key: key, lane: chunk.lane, trace: trace)
        }
        let releases = orders.map { order in
            Topics.retries.message(
                order, key: Topics.key(task, segment: order.segment.number), lane: lane, trace: trace)
        }
        return chunks + releases + ResultBatch.messages(ended, of: task, app: app, at: time, trace: trace)
    }

    func message(_ next: SegmentJob) -> OutgoingMessage {
        Topics.segments.message(next, key: next.key, lane: .bulk, trace: trace)
    }
}
