import Bus
import PushModel
import ServiceKit
import Store
import TaskModel
import Topics

/// Ends a task before its time: devices that nobody is sending to end as cancelled.
struct TaskCancellation: Sendable {
    /// A publisher waits for the answer. What a larger task has beyond is ended by whoever looks after open tasks.
    private static let segmentsMaximum = 512
    /// How long devices are told of meanwhile; what is not told here is told by whoever looks after open tasks.
    private static let tellingMaximum = Duration.seconds(5)
    private static let reason = "cancelled"

    private let ledger: any Ledger
    private let agenda: any TaskAgenda
    private let reader: any RegistryReader
    private let producer: any BusProducer
    private let time: any TimeSource
    private let log: Log

    init(_ access: TaskAccess, _ reader: any RegistryReader, _ environment: WorkerEnvironment) {
        ledger = access.ledger
        agenda = access.agenda
        producer = access.producer
        self.reader = reader
        time = environment.time
        log = environment.log
    }

    /// The first step cancels the task: whatever is marked or claimed after it is ended by that.
    func cancel(_ task: PushTask) async throws {
        let open = try await ledger.openSegments(of: task.id)
        let end = time.uptime + TaskCancellation.tellingMaximum
        var isTelling = true
        let first = SegmentID(task.app, SegmentNumber(rawValue: 0))
        for segment in open.isEmpty ? [first] : Array(open.prefix(TaskCancellation.segmentsMaximum)) {
            let ended = try await ledger.cancel(task.id, in: segment)
            guard isTelling, !ended.isEmpty else { continue }
            isTelling = await tell(ended, of: task, in: segment) && time.uptime < end
        }
        // Whoever looks after open tasks ends what senders still hold, and closes the task.
        try await agenda.postpone(task.id, until: time.now)
    }

    /// False when it cannot be told now.
    private func tell(_ ended: SegmentSet, of task: PushTask, in segment: SegmentID) async -> Bool {
        do {
            let devices = try await reader.devices(at: ended, in: segment)
            let results = (0..<devices.count).compactMap { result(devices, $0, segment) }
            let batches = ResultBatch.batches(results, of: task.id, app: task.app, at: time.now)
            try await producer.send(batches.map { Topics.results.message($0, key: $0.key) })
            return true
        } catch {
            log.warning(
                "cancelled devices are told of later",
                [.task: "\(task.id)", .segment: "\(segment)", .count: "\(ended.count)", .error: "\(error)"])
            return false
        }
    }

    private func result(_ devices: PackedDevices, _ place: Int, _ segment: SegmentID) -> DeviceResult? {
        guard let device = devices.device(at: place) else { return nil }
        let index = DeviceIndex(segment: segment.number, offset: devices.offsets[place])
        return DeviceResult(
            device: DeviceID(index: index, tag: device.tag), provider: device.token.kind, state: .cancelled,
            attempt: 0, status: 0, reason: TaskCancellation.reason)
    }
}
