import PushModel
import Store
import Topics

/// The devices of a group that are still in the registry.
struct RetryLookup: Sendable {
    let group: RetryGroup
    let found: PackedDevices

    /// The devices that were removed since they were targeted.
    var gone: RetryGroup {
        group.limited(to: group.offsets.subtracting(SegmentSet(found.offsets)).offsets)
    }

    /// Returns as few chunks as hold all found devices: for each task and attempt, its segments together.
    static func chunks(_ lookups: [RetryLookup], isFast: Bool) -> [AudienceChunk] {
        struct Destination: Hashable {
            let task: TaskID
            let app: AppID
            let attempt: UInt8
        }
        var order: [Destination] = []
        var parts: [Destination: [RetryLookup]] = [:]
        for part in lookups where part.found.count > 0 {
            let key = part.group.key
            let destination = Destination(task: key.task, app: key.segment.app, attempt: key.attempt)
            if parts[destination] == nil { order.append(destination) }
            parts[destination, default: []].append(part)
        }
        return order.flatMap { destination in
            var split = AudienceSplit(
                task: destination.task, app: destination.app, lane: isFast ? .fast : .bulk,
                attempt: destination.attempt)
            for part in parts[destination] ?? [] { part.add(to: &split) }
            return split.chunks()
        }
    }

    private func add(to split: inout AudienceSplit) {
        for (position, offset) in found.offsets.enumerated() {
            split.append(
                offset, of: group.key.segment.number, record: found.record(at: position),
                isSilent: group.members[offset]?.isSilent ?? false)
        }
    }
}
