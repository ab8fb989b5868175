import Bus
import JSONKit
import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskModel
import TestSupport
import Testing
import Topics

@testable import Renderer

/// A renderer's handler with stores in memory, one task and a manual clock.
final class Scene: Sendable {
    static let segment = SegmentNumber(rawValue: 3)

    let time = ManualTimeSource()
    let ledger: MemoryLedger
    let archive = MemoryTaskArchive()
    let producer = RecordingProducer()
    let metrics = Metrics()
    let app: AppID
    let id = TaskID(high: 7, low: 9)
    private let log = Log(service: "test", level: .error, sink: CollectingSink())

    init() throws {
        ledger = MemoryLedger(time: time)
        app = try AppID("bells")
    }

    func task(_ message: String, platforms: Set<Platform> = Set(Platform.allCases)) throws -> PushTask {
        var task = PushTask(id: id, app: app, created: time.now)
        let problems = JSONProblems()
        task.content.message = PushMessage(JSONFields(try JSON(message), problems: problems))
        task.content.platforms = platforms
        try #require(problems.all.isEmpty, "\(problems.all)")
        return task
    }

    /// A message for phones only, of an app that has no other providers: the others' devices end.
    func unreachingTask() throws -> PushTask {
        var task = try task(#"{"body":"b"}"#, platforms: [.ios, .android])
        task.unprovided = Set(DispatchFamily.web.protocols)
        return task
    }

    func keep(_ task: PushTask) {
        let entry = TaskEntry(app: task.app, begins: task.created, deadline: task.deadline)
        archive.keep(TaskMessage.task(task).encoded(), of: task.id, entry: entry)
    }

    func plan(marking offsets: [UInt16]) throws {
        _ = try ledger.plan(id, as: Samples.plan(app, until: time.now + .seconds(3_600)))
        _ = ledger.mark(SegmentSet(offsets), of: id, in: SegmentID(app, number: Scene.segment))
    }

    func handler(seed: UInt64 = 1, cacheBytes: Int = 1 << 20) -> RenderHandler {
        let environment = TestEnvironment(time: time, random: SeededRandomSource(seed: seed), metrics: metrics)
        return RenderHandler(
            tasks: TaskCache(archive, bytesMaximum: cacheBytes, metrics: metrics), ledger: ledger,
            environment: environment.forWorkers)
    }

    func chunk(
        _ devices: [Device], silent: Set<Int> = [], lane: Lane = .bulk, attempt: UInt8 = 0,
        timing: DeviceTiming = .ofTask, content: [UInt8] = []
    ) -> AudienceChunk {
        var part = AudienceDevices(segment: Scene.segment)
        for (offset, device) in devices.enumerated() {
            part.append(offset: UInt16(offset), record: device.packed, isSilent: silent.contains(offset))
        }
        return AudienceChunk(
            task: id, app: app, lane: lane, attempt: attempt, timing: timing, content: content, segments: [part])
    }

    /// Returns the messages that the handler sent and returned; rethrows its error.
    func run(_ handler: RenderHandler, chunks: [AudienceChunk]) async throws -> [OutgoingMessage] {
        let received = chunks.enumerated().map { number, chunk in
            ReceivedMessage(
                message: chunk,
                origin: IncomingMessage(
                    partition: PartitionID(channel: Topics.audience.channel(chunk.lane).name, number: 0),
                    offset: Int64(number), key: nil, value: [], headers: [], timestamp: time.now))
        }
        let context = HandlerContext(
            time: time, random: SeededRandomSource(seed: 2), producer: producer, log: log, attempt: 1)
        let before = producer.sent.count
        let outputs = try await handler.handle(received, context: context)
        return producer.sent.dropFirst(before) + outputs
    }

    func states() -> StateCounts {
        ledger.states(of: id, in: SegmentID(app, number: Scene.segment))?.counts ?? StateCounts()
    }

    static func device(
        _ kind: PushProtocol, number: Int, language: String? = nil, isSandbox: Bool = false
    ) throws -> Device {
        let digits = String(number, radix: 16)
        let padded = String(repeating: "0", count: 64 - digits.count) + digits
        let text =
            switch kind {
            case .apns, .huawei: padded
            case .fcm: "fcm:" + padded
            case .webpush, .wns, .mpns, .http, .liveActivity, .channel: "https://bells.example/" + padded
            }
        var device = Device(tag: UInt32(number) + 100, token: try PushToken(kind, text: text), created: 1_700_000_000)
        device.updated = 1_700_000_005
        device.language = language
        device.environment = isSandbox ? .sandbox : .production
        return device
    }
}

extension [OutgoingMessage] {
    func dispatches(_ topic: Topic<DispatchChunk>, lane: Lane = .bulk) throws -> [DispatchChunk] {
        try filter { $0.channel == topic.channel(lane) }.map { try DispatchChunk(decoding: $0.value) }
    }

    func results() throws -> [DeviceResult] {
        try filter { $0.channel == Topics.results.channel }.flatMap { try ResultBatch(decoding: $0.value).results }
    }
}

/// Records the messages that a handler sends, and refuses those for full topics.
final class RecordingProducer: BusProducer {
    private struct State {
        var sent: [OutgoingMessage] = []
        var full: Set<String> = []
    }

    private let state = Monitor(State())

    var sent: [OutgoingMessage] { state.withLock { $0.sent } }

    func setFull(_ channels: Set<String>) {
        state.change { $0.full = channels }
    }

    func send(_ messages: [OutgoingMessage]) async throws(BusError) -> [MessagePosition] {
        let isFull = state.change { state in
            guard messages.allSatisfy({ !state.full.contains($0.channel.name) }) else { return true }
            state.sent += messages
            return false
        }
        if isFull { throw BusError(.full, message: "there is no room") }
        return messages.map { _ in MessagePosition(partition: 0, offset: nil) }
    }

    func close() async {}
}
