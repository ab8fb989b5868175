import Bus
import PushModel
import RegistryLog
import ServiceKit
import Store
import TaskKit
import TaskModel
import Topics

/// Restores the tasks that wait for their time, and the parts of their lists, from `schedules`. What a later tombstone
/// names was released, and is taken out again.
struct ScheduleRecovery {
    private static let recordsAtOnce = 256
    private static let tasksAtOnce = 32

    private struct Read: Sendable {
        let key: [UInt8]
        let record: ScheduleRecord

        /// Nil for the key of a part.
        var task: TaskID? {
            OutsideText.string(key).flatMap { Base64URL.decode($0) }.flatMap { TaskID(bytes: $0) }
        }
    }

    private let bus: any Bus
    private let index: any RetryIndex
    private let schedule: TaskSchedule
    private let time: any TimeSource
    private let patience: StorePatience
    private var read: [Read] = []
    /// Tasks with a key that wait, by the end of the scan.
    private var keyed: [TaskID: Timestamp] = [:]
    private let replacements: ReplacementRecovery

    init(_ recovery: TaskRecovery) {
        bus = recovery.bus
        index = recovery.stores.index
        schedule = TaskSchedule(
            archive: recovery.stores.archive, index: index, moments: recovery.stores.moments,
            hours: LearntHours(recovery.stores.opens, metrics: recovery.environment.metrics))
        time = recovery.environment.time
        replacements = ReplacementRecovery(recovery.stores, time: time)
        patience = StorePatience(recovery.environment)
    }

    /// Adds to the summary.
    mutating func run(_ summary: inout RecoverySummary, note: (RecoverySummary) -> Void) async throws {
        var recovery = self
        try await bus.scan(Topics.schedules.channel) { message in
            summary.count(note)
            do {
                recovery.read.append(
                    Read(key: message.key ?? [], record: try ScheduleRecord(decoding: message.value)))
            } catch is MalformedMessageError {
                summary.unreadable += 1
            }
            if recovery.read.count == ScheduleRecovery.recordsAtOnce { try await recovery.apply() }
            return true
        }
        try await recovery.apply()
        try await recovery.restorePointers()
        for shard in RetryShard.tasks {
            summary.scheduled += try await patience.perform { try await index.outlook(of: shard).depth }
        }
    }

    /// Records of one task keep their order.
    private mutating func apply() async throws {
        let groups = read.groups { $0.key.prefix { $0 != UInt8(ascii: "/") } }
        _ = try await groups.concurrentMap(atOnce: ScheduleRecovery.tasksAtOnce) { [self] records in
            for record in records { try await apply(record) }
        }
        for read in read { note(read) }
        read = []
    }

    private mutating func note(_ read: Read) {
        switch read.record {
        case .task(let task) where task.replaces != nil: keyed[task.id] = task.isWithdrawn ? nil : task.created
        case .released: if let task = read.task { keyed[task] = nil }
        case .task, .part: break
        }
    }

    /// The earliest first, so that the last one of a key counts.
    private func restorePointers() async throws {
        for (id, _) in keyed.sorted(by: { ($0.value, $0.key.low) < ($1.value, $1.key.low) }) {
            try await patience.perform {
                guard let task = try await schedule.task(id) else { return }
                _ = try await replacements.restore(task)
            }
        }
    }

    private func apply(_ read: Read) async throws {
        try await patience.perform {
            switch read.record {
            case .task(let task): _ = try await schedule.enter(task, at: time.now)
            case .part(let part, let begins): try await schedule.enter(part, begins: begins, at: time.now)
            case .released:
                guard let task = read.task else { return }
                try await schedule.remove(task)
            }
        }
    }
}
