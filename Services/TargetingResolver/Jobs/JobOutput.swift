import Bus
import PushModel
import ServiceKit
import Store
import TaskKit
import Topics

/// What is to be sent once devices are marked: chunks of those to be rendered, and results of those that ended with
/// their mark.
struct JobOutput: Sendable {
    private(set) var deviceCount = 0
    let task: TaskID
    let lane: Lane
    private let app: AppID
    private let trace: TraceContext?
    private var split: AudienceSplit
    private var ended: [DeviceResult] = []

    /// A content travels along where it is short.
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
            ended += part.ended
        }
    }

    private mutating func add(_ marked: MarkedDevices) {
        guard !marked.open.isEmpty else { return }
        let targets = marked.targets
        for (position, offset) in targets.records.offsets.enumerated() where marked.open.contains(offset) {
            split.append(
                offset, of: targets.segment, record: targets.records.record(at: position),
                isSilent: targets.silent.contains(offset))
            deviceCount += 1
        }
    }

    func messages(at time: Timestamp) -> [OutgoingMessage] {
        let chunks = split.chunks().map { chunk in
            let key = chunk.segments.first.map { Topics.key(chunk.task, $0.segment) }
            return Topics.audience.message(chunk, key: key, lane: chunk.lane, trace: trace)
        }
        return chunks + ResultBatch.messages(ended, of: task, app: app, at: time, trace: trace)
    }

    func message(_ next: SegmentJob) -> OutgoingMessage {
        Topics.segments.message(next, key: next.key, lane: .bulk, trace: trace)
    }
}
