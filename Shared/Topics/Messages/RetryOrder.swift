package import PushModel
import ServiceKit

/// Devices that a sender returns, to be retried when they are due. Contains only device references: the devices are
/// looked up, rendered and checked again.
package struct RetryOrder: TopicMessage, Hashable {
    private static let format: UInt8 = 1
    /// Has a timing. Other orders keep the first format: the same order is the same entry of the index.
    private static let timedFormat: UInt8 = 2
    /// An offset has twelve bits; the highest bit of its two bytes marks a device that receives no alert.
    private static let silentBit: UInt16 = 0x8000

    package struct Device: Hashable, Sendable {
        package let offset: UInt16
        /// The rest of the device's id, for the result if the device is removed from the registry meanwhile.
        package let tag: UInt32
        /// Receives data and badge but no alert, as of targeting.
        package let isSilent: Bool

        package init(offset: UInt16, tag: UInt32, isSilent: Bool) {
            self.offset = offset
            self.tag = tag
            self.isSilent = isSilent
        }
    }

    package let task: TaskID
    package let segment: SegmentID
    package let provider: PushProtocol
    /// The number of the next attempt.
    package let attempt: UInt8
    /// Milliseconds since 1970.
    package let due: Int64
    package let timing: DeviceTiming
    package let devices: [Device]

    package init(
        task: TaskID, segment: SegmentID, provider: PushProtocol, attempt: UInt8, due: Int64,
        timing: DeviceTiming = .ofTask, devices: [Device]
    ) {
        self.task = task
        self.segment = segment
        self.provider = provider
        self.attempt = attempt
        self.due = due
        self.timing = timing
        self.devices = devices
    }

    package var offsets: [UInt16] { devices.map(\.offset) }

    /// Splits the devices into orders of at most this many.
    package func parts(of maximum: Int) -> [RetryOrder] {
        devices.chunks(of: maximum).map { with(devices: Array($0), due: due) }
    }

    package func with(devices: [Device], due: Int64) -> RetryOrder {
        RetryOrder(
            task: task, segment: segment, provider: provider, attempt: attempt, due: due, timing: timing,
            devices: devices)
    }

    package func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        let isTimed = timing != .ofTask
        TaskHead(task, app: segment.app).write(
            format: isTimed ? RetryOrder.timedFormat : RetryOrder.format, to: &bytes)
        if isTimed { timing.write(to: &bytes) }
        bytes.append(integer: segment.number.rawValue)
        bytes.append(provider.rawValue)
        bytes.append(attempt)
        bytes.append(integer: due)
        bytes.append(variableInteger: devices.count)
        for device in devices {
            bytes.append(integer: device.offset | (device.isSilent ? RetryOrder.silentBit : 0))
            bytes.append(integer: device.tag)
        }
        return bytes
    }

    package init(decoding bytes: [UInt8]) throws {
        self = try ByteReader.message(bytes, name: "retry order") { RetryOrder(from: &$0) }
    }

    private init?(from reader: inout ByteReader) {
        guard let format = reader.format(in: RetryOrder.format...RetryOrder.timedFormat),
            let head = TaskHead(format: format, from: &reader),
            let timing = format == RetryOrder.format ? .ofTask : DeviceTiming(from: &reader),
            let number = reader.integer(UInt32.self),
            number <= SegmentNumber.maximum, let provider = reader.byte().flatMap(PushProtocol.init(rawValue:)),
            let attempt = reader.byte(), let due = reader.integer(Int64.self), let count = reader.variableInteger(),
            count <= DeviceIndex.segmentCapacity,
            let devices = reader.elements(count, read: { Device(from: &$0, silentBit: RetryOrder.silentBit) })
        else { return nil }
        self.init(
            task: head.task, segment: SegmentID(head.app, number: SegmentNumber(rawValue: number)), provider: provider,
            attempt: attempt, due: due, timing: timing, devices: devices)
    }
}

extension RetryOrder.Device {
    fileprivate init?(from reader: inout ByteReader, silentBit: UInt16) {
        guard let place = reader.integer(UInt16.self), let tag = reader.integer(UInt32.self) else { return nil }
        let offset = place & ~silentBit
        guard Int(offset) < DeviceIndex.segmentCapacity else { return nil }
        self.init(offset: offset, tag: tag, isSilent: place & silentBit != 0)
    }
}
