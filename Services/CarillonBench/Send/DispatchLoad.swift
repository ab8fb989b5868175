import Bus
import PushModel
import RedisStore
import ServiceKit
import Store
import Topics

/// One task's pushes as produced by the renderer: marked in the ledger, and in chunks on the bus.
struct DispatchLoad {
    private static let devicesPerChunk = 500
    let app: AppID
    let task: TaskID
    let devices: Int
    let content: DispatchContent
    private let deadline = SystemTimeSource().now + .seconds(3_600)

    init(app: AppID, task: TaskID, devices: Int, content: DispatchContent) {
        self.app = app
        self.task = task
        self.devices = devices
        self.content = content
    }

    func mark(in ledger: RedisLedger) async throws {
        let plan = TaskPlan(app: app, jobs: 1, isFast: false, deadline: deadline, policy: .atLeastOnce)
        _ = try await ledger.plan(task, as: plan)
        for (number, offsets) in segments {
            _ = try await ledger.mark(
                SegmentSet(offsets.map { UInt16($0) }), of: task, in: SegmentID(app, number: number))
        }
    }

    func put(on bus: any Bus) async throws {
        let producer = try await bus.makeProducer(ProducerOptions())
        for (number, offsets) in segments {
            let starts = stride(from: offsets.lowerBound, to: offsets.upperBound, by: DispatchLoad.devicesPerChunk)
            try await producer.send(
                starts.map { start in
                    let part = start..<min(start + DispatchLoad.devicesPerChunk, offsets.upperBound)
                    return content.topic.message(
                        try chunk(number, offsets: part), key: Topics.key(task, segment: number), lane: .bulk)
                })
        }
        await producer.close()
    }

    private var segments: [(number: SegmentNumber, offsets: Range<Int>)] {
        let capacity = DeviceIndex.segmentCapacity
        return stride(from: 0, to: devices, by: capacity).map { start in
            (SegmentNumber(rawValue: UInt32(start / capacity)), 0..<min(capacity, devices - start))
        }
    }

    private func chunk(_ number: SegmentNumber, offsets: Range<Int>) throws -> DispatchChunk {
        var segment = SegmentDevices(segment: number)
        for offset in offsets {
            let index = DeviceIndex(segment: number, offset: UInt16(offset))
            segment.append(offset: UInt16(offset), variant: 0, device: try content.device(index))
        }
        return DispatchChunk(
            task: task, app: app, lane: .bulk, attempt: 0,
            accepted: SystemTimeSource().now.milliseconds, deadline: deadline.milliseconds, countsBadge: false,
            repeatsUnknown: true, variants: [content.variant], segments: [segment])
    }
}
