import Bus
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import Topics

/// Brings waiting tasks of a user forward to a good moment: each is sent on `schedules` with that time, in place of its
/// record with a later one.
struct MomentRelease: Sendable {
    private static let readAtOnce = 16

    let archive: any TaskArchive
    let producer: any BusProducer

    /// Returns how many are released. A task that is released meanwhile is sent once: a resolver drops the repeat.
    func release(
        _ tasks: [TaskID], from now: Timestamp, until end: Timestamp, trace: TraceContext?
    ) async throws -> Int {
        guard !tasks.isEmpty else { return 0 }
        let waiting = try await tasks.concurrentMap(atOnce: MomentRelease.readAtOnce) { [archive] id in
            try await archive.task(id)
        }
        let released = waiting.compactMap { task -> PushTask? in
            guard var task, let time = task.window?.release(inMomentFrom: now, until: end), time < task.begins else {
                return nil
            }
            task.sendAt = time
            return task
        }
        guard !released.isEmpty else { return 0 }
        try await producer.send(
            released.map { Topics.schedules.message(.task($0), key: Topics.key($0.id), trace: trace) })
        return released.count
    }
}
