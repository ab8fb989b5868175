package import PushModel
package import ServiceKit
package import Store

/// Devices of one segment, sorted by their judgement.
package struct JudgedDevices: Sendable {
    private struct Wait: Hashable {
        let cause: DeferralCause
        let due: Timestamp
    }

    package private(set) var sendable = SegmentSet()
    /// Grouped by cause and time, the earliest first.
    package private(set) var deferrals: [Deferral] = []
    package private(set) var suppressed: [(reason: String, devices: SegmentSet)] = []

    /// Those of the devices that are among the offsets. Without a judge all of them are sendable.
    package init(
        _ devices: PackedDevices, among offsets: SegmentSet, in segment: SegmentNumber, judge: (any DeviceJudge)?,
        now: Timestamp
    ) {
        guard let judge else {
            sendable = offsets.intersection(SegmentSet(devices.offsets))
            return
        }
        var waits: [Wait: [UInt16]] = [:]
        var ends: [String: SegmentSet] = [:]
        for (position, offset) in devices.offsets.enumerated() where offsets.contains(offset) {
            let index = DeviceIndex(segment: segment, offset: offset)
            switch judge.judgement(of: devices.record(at: position), at: index, now: now) {
            case .wait(let cause, let due) where due > now:
                waits[Wait(cause: cause, due: cause.rounded(due)), default: []].append(offset)
            case .send, .wait: sendable.insert(offset)
            case .suppress(let reason): ends[reason, default: SegmentSet()].insert(offset)
            }
        }
        deferrals = JudgedDevices.deferrals(waits)
        suppressed = ends.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private static func deferrals(_ waits: [Wait: [UInt16]]) -> [Deferral] {
        waits.map { Deferral(offsets: $1, cause: $0.cause, due: $0.due) }
            .sorted { ($0.due, $0.cause.rawValue) < ($1.due, $1.cause.rawValue) }
    }

    /// Defers some of the sendable devices, each until its time.
    func deferring(_ releases: [UInt16: Timestamp], for cause: DeferralCause) -> JudgedDevices {
        var judged = self
        judged.sendable.subtract(SegmentSet(releases.keys))
        var waits: [Wait: [UInt16]] = [:]
        for (offset, release) in releases.sorted(by: { $0.key < $1.key }) {
            waits[Wait(cause: cause, due: cause.rounded(release)), default: []].append(offset)
        }
        judged.deferrals += JudgedDevices.deferrals(waits)
        return judged
    }

    /// Ends the sendable devices as suppressed.
    func suppressing(reason: String) -> JudgedDevices {
        var judged = self
        judged.suppressed.append((reason, sendable))
        judged.sendable = SegmentSet()
        return judged
    }
}

extension DeferralCause {
    /// Devices that are due within the same step share an order; a rate is kept by the second.
    private var stepMilliseconds: Int64 { self == .rate ? 1_000 : 60_000 }

    /// The end of the step: never too early.
    package func rounded(_ due: Timestamp) -> Timestamp {
        let steps = (due.milliseconds + stepMilliseconds - 1) / stepMilliseconds
        return Timestamp(milliseconds: steps * stepMilliseconds)
    }
}
