import PushModel
import ServiceKit
import Store
import TaskKit
import Topics

/// The devices of a group that are still in the registry, as they were judged.
struct RetryLookup: Sendable {
    let group: RetryGroup
    let found: PackedDevices
    let judged: JudgedDevices

    /// The devices that were removed since they were targeted.
    var gone: RetryGroup {
        group.limited(to: group.offsets.subtracting(SegmentSet(found.offsets)).offsets)
    }

    /// The orders of the devices that may not be sent to yet, and live from their new due time. They keep their kind: a
    /// device that is deferred stays deferred, and one that waits for a retry stays waiting.
    var delayed: [RetryOrder] {
        judged.deferrals.flatMap { deferral in
            let cause = group.key.timing.deferral == nil ? nil : deferral.cause
            let timing = DeviceTiming(
                deferral: cause, begins: deferral.due.milliseconds,
                isPacedRetry: cause == nil && deferral.cause == .rate)
            return group.limited(to: deferral.offsets).orders(due: deferral.due, timing: timing)
        }
    }

    /// Returns as few chunks as hold all sendable devices: for each task, attempt and timing, its segments together.
    static func chunks(_ lookups: [RetryLookup], isFast: Bool) -> [AudienceChunk] {
        struct Destination: Hashable {
            let task: TaskID
            let app: AppID
            let attempt: UInt8
            let timing: DeviceTiming
        }
        var order: [Destination] = []
        var parts: [Destination: [RetryLookup]] = [:]
        for part in lookups where !part.judged.sendable.isEmpty {
            let key = part.group.key
            let destination = Destination(
                task: key.task, app: key.segment.app, attempt: key.attempt, timing: key.timing)
            if parts[destination] == nil { order.append(destination) }
            parts[destination, default: []].append(part)
        }
        return order.flatMap { destination in
            var split = AudienceSplit(
                task: destination.task, app: destination.app, lane: isFast ? .fast : .bulk,
                attempt: destination.attempt, timing: destination.timing)
            for part in parts[destination] ?? [] { part.add(to: &split) }
            return split.chunks()
        }
    }

    private func add(to split: inout AudienceSplit) {
        for (position, offset) in found.offsets.enumerated() where judged.sendable.contains(offset) {
            let member = group.members[offset]
            split.append(
                offset, of: group.key.segment.number, record: found.record(at: position),
                isSilent: member?.isSilent ?? false, content: member?.content ?? .ofTask)
        }
    }
}
