import Bus
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import Topics

/// Sends waiting tasks of a user at a good moment. One whose window opens during the moment gets that time.
struct MomentRelease: Sendable {
    private static let readAtOnce = 16

    let archive: any TaskArchive
    let replacements: any TaskReplacements
    let producer: any BusProducer
    let queue: ReleasedTaskQueue
    /// While the store is rebuilt, a task may wait under its user that was released before.
    let isRegistryReady: @Sendable () async throws -> Bool

    /// The time at which a moment releases a waiting task.
    private struct Release: Sendable {
        let waiting: PushTask
        let task: PushTask

        init(_ waiting: PushTask, at time: Timestamp) {
            self.waiting = waiting
            var task = waiting
            task.sendAt = time
            self.task = task
        }

        func message(trace: TraceContext?, isNow: Bool) -> OutgoingMessage {
            let key = Topics.key(task.id)
            return isNow
                ? Topics.tasks.message(.task(task), key: key, trace: trace)
                : Topics.schedules.message(.task(task), key: key, trace: trace)
        }
    }

    /// Returns how many are released. A task that is released meanwhile is sent once: a resolver drops the repeat.
    func release(
        _ tasks: [TaskID], from now: Timestamp, until end: Timestamp, trace: TraceContext?
    ) async throws -> Int {
        guard !tasks.isEmpty else { return 0 }
        guard try await isRegistryReady() else {
            throw StoreError(.notReady, message: "the registry is not ready; tasks wait for the next moment")
        }
        let releases = try await tasks.concurrentMap(atOnce: MomentRelease.readAtOnce) { id in
            try await release(of: id, from: now, until: end)
        }.compactMap { $0 }
        guard !releases.isEmpty else { return 0 }
        try await producer.send(releases.map { $0.message(trace: trace, isNow: $0.task.begins <= now) })
        queue.add(
            releases.filter { $0.task.begins <= now }.map {
                ReleasedTask($0.task.id, task: $0.task, entries: [RetryEntry(waiting: $0.waiting)])
            })
        return releases.count
    }

    /// Nil for a task that the moment does not release: its window is not open, or it is done, due or replaced.
    private func release(
        of id: TaskID, from now: Timestamp, until end: Timestamp
    ) async throws(StoreError) -> Release? {
        guard let task = try await archive.task(id), let time = task.window?.release(inMomentFrom: now, until: end),
            time < task.begins
        else { return nil }
        return try await replacements.haveReplaced(task) ? nil : Release(task, at: time)
    }
}
