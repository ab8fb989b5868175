import PushModel
import ServiceKit

/// The storage format of a trace: about 40 bytes for a task with one device, and 8 for each further one.
///
/// A version, flags, the app and the dialect, the time of closing and the others as differences from it, the number of
/// jobs; in version 2 also the rest of the report, and in version 3 then the number of list entries without a device.
/// Then the devices: difference from the previous one, state and whether there is a detail, and of the detail the
/// attempt, time difference, status and the reason, which is written once and then referenced by its number.
extension TaskTrace {
    private static let versions: ClosedRange<UInt8> = 1...3
    private static let hasDetail: UInt8 = 16

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let cancelled = Flags(rawValue: 1)
        static let fast = Flags(rawValue: 2)
        static let atMostOnce = Flags(rawValue: 4)
    }

    package var packed: [UInt8] {
        var bytes = [version, flags.rawValue]
        bytes.append(counted: plan.app.text.utf8)
        bytes.append(counted: dialect.utf8)
        bytes.append(integer: closed.milliseconds)
        bytes.append(signed: closed - created)
        bytes.append(signed: plan.deadline - closed)
        bytes.append(variableInteger: plan.jobs)
        if version > 1 { bytes.append(counted: report) }
        if version > 2 { bytes.append(variableInteger: unmatched) }
        var packer = DevicePacker(closed: closed)
        for device in outcomes.devices { packer.append(device, to: &bytes) }
        return bytes
    }

    /// The first that can hold the trace.
    private var version: UInt8 { unmatched > 0 ? 3 : report.isEmpty ? 1 : 2 }

    /// Nil for an unknown version.
    package init?(packed bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard let version = reader.byte(), TaskTrace.versions ~= version, let flags = reader.byte().map(Flags.init),
            let app = reader.text().flatMap({ try? AppID($0) }), let dialect = reader.text(),
            let milliseconds = reader.integer(Int64.self), milliseconds.magnitude < 1 << 48,
            let age = reader.signed(), let rest = reader.signed(), let jobs = reader.variableInteger(),
            let report = version == 1 ? [] : reader.counted(),
            let unmatched = version > 2 ? reader.variableInteger() : 0
        else { return nil }
        let closed = Timestamp(milliseconds: milliseconds)
        var unpacker = DeviceUnpacker(closed: closed)
        var devices: [TaskOutcomes.Device] = []
        while !reader.isAtEnd {
            guard let device = unpacker.next(&reader) else { return nil }
            devices.append(device)
        }
        let plan = TaskPlan(
            app: app, jobs: jobs, isFast: flags.contains(.fast), deadline: closed + rest,
            policy: flags.contains(.atMostOnce) ? .atMostOnce : .atLeastOnce)
        self.init(
            TaskOutcomes(plan: plan, devices: devices), dialect: dialect,
            created: Timestamp(milliseconds: milliseconds - age.wholeMilliseconds), closed: closed,
            isCancelled: flags.contains(.cancelled), unmatched: unmatched,
            report: Array(report))
    }

    private var flags: Flags {
        var flags: Flags = isCancelled ? [.cancelled] : []
        if plan.isFast { flags.insert(.fast) }
        if plan.policy == .atMostOnce { flags.insert(.atMostOnce) }
        return flags
    }

    private struct DevicePacker {
        let closed: Timestamp
        private var last = 0
        private var reasons: [String: Int] = [:]

        init(closed: Timestamp) {
            self.closed = closed
        }

        mutating func append(_ device: TaskOutcomes.Device, to bytes: inout [UInt8]) {
            let place = Int(device.index.rawValue)
            bytes.append(variableInteger: place - last)
            last = place
            bytes.append(device.state.rawValue | (device.detail == nil ? 0 : hasDetail))
            guard let detail = device.detail else { return }
            bytes.append(detail.attempt)
            bytes.append(signed: closed - detail.time)
            bytes.append(variableInteger: Int(detail.status))
            append(detail.reason, to: &bytes)
        }

        private mutating func append(_ reason: String, to bytes: inout [UInt8]) {
            let number = reason.isEmpty ? 0 : reasons[reason] ?? reasons.count + 1
            bytes.append(variableInteger: number)
            guard number > reasons.count else { return }
            reasons[reason] = number
            bytes.append(counted: reason.utf8)
        }
    }

    private struct DeviceUnpacker {
        let closed: Timestamp
        private var last = 0
        private var reasons = [""]

        init(closed: Timestamp) {
            self.closed = closed
        }

        mutating func next(_ reader: inout ByteReader) -> TaskOutcomes.Device? {
            guard let distance = reader.variableInteger(), let place = UInt32(exactly: last + distance),
                let head = reader.byte(), let state = DeliveryState(rawValue: head & ~hasDetail)
            else { return nil }
            last = Int(place)
            let index = DeviceIndex(rawValue: place)
            guard head & hasDetail != 0 else {
                return TaskOutcomes.Device(index: index, state: state, detail: nil)
            }
            return detail(&reader, state: state).map { TaskOutcomes.Device(index: index, state: state, detail: $0) }
        }

        private mutating func detail(_ reader: inout ByteReader, state: DeliveryState) -> OutcomeDetail? {
            guard let attempt = reader.byte(), let age = reader.signed(),
                let status = reader.variableInteger().flatMap({ UInt16(exactly: $0) }), let reason = reason(&reader)
            else { return nil }
            let time = Timestamp(milliseconds: closed.milliseconds - age.wholeMilliseconds)
            return OutcomeDetail(state: state, attempt: attempt, time: time, status: status, reason: reason)
        }

        private mutating func reason(_ reader: inout ByteReader) -> String? {
            guard let number = reader.variableInteger(), number <= reasons.count else { return nil }
            if number == reasons.count {
                guard let text = reader.text() else { return nil }
                reasons.append(text)
            }
            return reasons[number]
        }
    }
}

extension [UInt8] {
    /// A signed time span, limited to about 198 days, which no task exceeds.
    fileprivate mutating func append(signed span: Duration) {
        let limit = Int64(1) << 34 - 1
        let milliseconds = Swift.min(Swift.max(span.wholeMilliseconds, -limit), limit)
        append(variableInteger: Int(milliseconds.magnitude) << 1 | (milliseconds < 0 ? 1 : 0))
    }
}

extension ByteReader {
    fileprivate mutating func signed() -> Duration? {
        variableInteger().map { value in
            let magnitude = Int64(value >> 1)
            return .milliseconds(value & 1 == 0 ? magnitude : -magnitude)
        }
    }
}
