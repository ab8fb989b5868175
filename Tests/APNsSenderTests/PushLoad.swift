import PushModel
import ServiceKit
import Topics

/// Devices of one task, numbered from zero, in chunks as the renderer produces them.
struct PushLoad: Sendable {
    let task: TaskID
    let app: AppID
    let count: Int
    var lane = Lane.bulk
    var pushType = "alert"
    var isSandbox = false
    var registered: UInt32 = 1_700_000_000
    var devicesPerChunk = 500
    let deadline = (SystemTimeSource().now + .seconds(3_600)).milliseconds

    init(_ app: AppID, count: Int, task: UInt64 = 1) {
        self.app = app
        self.count = count
        self.task = TaskID(high: 7, low: task)
    }

    static func path(_ number: Int) -> String { "/3/device/" + token(number) }

    static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    var segments: [(SegmentNumber, [UInt16])] {
        stride(from: 0, to: count, by: DeviceIndex.segmentCapacity).map { start in
            (
                SegmentNumber(rawValue: UInt32(start / DeviceIndex.segmentCapacity)),
                (0..<UInt16(min(DeviceIndex.segmentCapacity, count - start))).map { $0 }
            )
        }
    }

    func chunks() -> [DispatchChunk] {
        segments.flatMap { chunks($0.0, offsets: $0.1, attempt: 0) }
    }

    func chunks(_ order: RetryOrder) -> [DispatchChunk] {
        chunks(order.segment.number, offsets: order.offsets, attempt: order.attempt)
    }

    private func chunks(_ segment: SegmentNumber, offsets: [UInt16], attempt: UInt8) -> [DispatchChunk] {
        stride(from: 0, to: offsets.count, by: devicesPerChunk).map { start in
            chunk(segment, offsets: offsets[start..<min(start + devicesPerChunk, offsets.count)], attempt: attempt)
        }
    }

    private func chunk(_ segment: SegmentNumber, offsets: ArraySlice<UInt16>, attempt: UInt8) -> DispatchChunk {
        var devices = SegmentDevices(segment: segment)
        for offset in offsets {
            let number = Int(segment.rawValue) * DeviceIndex.segmentCapacity + Int(offset)
            guard let token = try? PushToken(.apns, text: PushLoad.token(number)) else { continue }
            var device = Device(tag: UInt32(number), token: token, created: registered)
            device.environment = isSandbox ? .sandbox : .production
            devices.append(offset: offset, variant: 0, device: device)
        }
        let variant = RenderedVariant(
            kind: .apns, priority: .high, pushType: pushType, collapseID: "score", expiration: 1_900_000_000,
            payload: PayloadTemplate(Array(#"{"aps":{"alert":"Goal"}}"#.utf8)))
        return DispatchChunk(
            task: task, app: app, lane: lane, attempt: attempt,
            accepted: SystemTimeSource().now.milliseconds, deadline: deadline, countsBadge: false,
            repeatsUnknown: true, variants: [variant], segments: [devices])
    }
}
