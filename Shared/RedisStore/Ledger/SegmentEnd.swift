import PushModel
import RedisClient
import Store

/// The reply of the script that closes a segment of a task.
struct SegmentEnd {
    private let segment: SegmentID
    /// Final counts, numbers by provider and numbers by reason, for the script that closes the task.
    private let sums: [RedisValue]
    private let states: RedisValue
    private let details: RedisValue

    /// Nil while devices are open.
    init?(_ reply: RedisValue, of segment: SegmentID) {
        guard let parts = reply.array, parts.count == 5 else { return nil }
        self.segment = segment
        sums = Array(parts[..<3])
        states = parts[3]
        details = parts[4]
    }

    var arguments: [RedisArgument] {
        [RedisArgument(segment.number.description)] + sums.map { RedisArgument($0.bytes ?? []) }
    }

    /// Of a closed task; nil if other segments were closed before, or one has no devices.
    static func outcomes(_ ends: [SegmentEnd], of progress: TaskProgress) throws(StoreError) -> TaskOutcomes? {
        guard progress.closed != nil else { return nil }
        var devices: [TaskOutcomes.Device] = []
        for end in ends {
            let ended = try RedisLedgerReply.outcomes(end.states, details: end.details, in: end.segment.number)
            guard !ended.isEmpty else { return nil }
            devices += ended
        }
        guard devices.count == progress.counts.targeted else { return nil }
        return TaskOutcomes(plan: progress.plan, devices: devices)
    }
}
