package import PushModel
import ServiceKit

/// Devices that a sender returns, to be retried when they are due. Contains only device references: the devices are
/// looked up, rendered and checked again.
package struct RetryOrder: TopicMessage, Hashable {
    private static let format: UInt8 = 1
    /// Has a timing. Other orders keep the first format: the same order is the same entry of the index.
    private static let timedFormat: UInt8 = 2
    /// The same, and the content of each device.
    private static let variedFormat: UInt8 = 3
    /// An offset has twelve bits; the highest bit of its two bytes marks a device that receives no alert.
    private static let silentBit: UInt16 = 0x8000

    package struct Device: Hashable, Sendable {
        package let offset: UInt16
        /// The rest of the device's id, for the result if the device is removed from the registry meanwhile.
        package let tag: UInt32
        /// Receives data and badge but no alert, as of targeting.
        package let isSilent: Bool
        /// As of targeting.
        package let content: ContentNumber

        package init(offset: UInt16, tag: UInt32, isSilent: Bool, content: ContentNumber = .ofTask) {
            self.offset = offset
            self.tag = tag
            self.isSilent = isSilent
            self.content = content
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
        let format = format
        TaskHead(task, app: segment.app).write(format: format, to: &bytes)
        if format >= RetryOrder.timedFormat { timing.write(to: &bytes) }
        bytes.append(integer: segment.number.rawValue)
        bytes.append(provider.rawValue)
        bytes.append(attempt)
        bytes.append(integer: due)
        bytes.append(variableInteger: devices.count)
        for device in devices {
            bytes.append(integer: device.offset | (device.isSilent ? RetryOrder.silentBit : 0))
            bytes.append(integer: device.tag)
            if format == RetryOrder.variedFormat { bytes.append(integer: device.content.rawValue) }
        }
        return bytes
    }

    private var format: UInt8 {
        if devices.contains(where: { $0.content != .ofTask }) { return RetryOrder.variedFormat }
        return timing == .ofTask ? RetryOrder.format : RetryOrder.timedFormat
    }

    package init(decoding bytes: [UInt8]) throws {
        self = try ByteReader.message(bytes, name: "retry order") { RetryOrder(from: &$0) }
    }

    private init?(from reader: inout ByteReader) {
        guard let format = reader.format(in: RetryOrder.format...RetryOrder.variedFormat),
            let head = TaskHead(format: format, from: &reader),
            let timing = format == RetryOrder.format ? .ofTask : DeviceTiming(from: &reader),
            let number = reader.integer(UInt32.self),
            number <= SegmentNumber.maximum, let provider = reader.byte().flatMap(PushProtocol.init(rawValue:)),
            let attempt = reader.byte(), let due = reader.integer(Int64.self), let count = reader.variableInteger(),
            count <= DeviceIndex.segmentCapacity,
            let devices = reader.elements(
                count,
                read: {
                    Device(
                        from: &$0, silentBit: RetryOrder.silentBit, hasContent: format == RetryOrder.variedFormat)
                })
        else { return nil }
        self.init(
            task: head.task, segment: SegmentID(head.app, number: SegmentNumber(rawValue: number)), provider: provider,
            attempt: attempt, due: due, timing: timing, devices: devices)
    }
}

extension RetryOrder.Device {
    fileprivate init?(from reader: inout ByteReader, silentBit: UInt16, hasContent: Bool) {
        guard let place = reader.integer(UInt16.self), let tag = reader.integer(UInt32.self),
            let content = hasContent ? ContentNumber(from: &reader) : .ofTask
        else { return nil }
        let offset = place & ~silentBit
        guard Int(offset) < DeviceIndex.segmentCapacity else { return nil }
        self.init(offset: offset, tag: tag, isSilent: place & silentBit != 0, content: content)
    }
}
