import PushModel
import ServiceKit
import Store
import Synchronization
import TaskKit
import TaskModel
import Topics

/// The tasks that chunks are rendered from: the most recently used in memory, the others in the archive. Workers use it
/// concurrently; two that miss the same task both read it, which is harmless.
final class TaskCache: Sendable {
    /// Devices with a life of their own get payloads of their own.
    private struct Key: Hashable {
        let task: TaskID
        let begins: Timestamp?
    }

    private let archive: any TaskArchive
    private let kept: Mutex<RecentlyUsed<Key, CachedTask>>
    private let reads: Counter

    init(_ archive: any TaskArchive, bytesMaximum: Int, metrics: Metrics) {
        self.archive = archive
        kept = Mutex(RecentlyUsed(costMaximum: bytesMaximum))
        reads = metrics.counter(.rendererTasksRead)
    }

    /// Nil if the archive does not have it, or not yet, and the chunk does not include it.
    func task(of chunk: AudienceChunk, now: Timestamp) async throws -> CachedTask? {
        let id = chunk.task
        let key = Key(task: id, begins: chunk.begins)
        if let task = kept.withLock({ $0.value(for: key) { $0.bytes } }) {
            return task.goodUntil > now ? task : keep(task.renewed(at: now))
        }
        guard let content = try await content(of: chunk) else { return nil }
        let task = try PushTask(archived: content, of: id)
        return keep(CachedTask(task, begins: key.begins, contentBytes: content.count, now: now))
    }

    private func content(of chunk: AudienceChunk) async throws -> [UInt8]? {
        guard chunk.content.isEmpty else { return chunk.content }
        guard let content = try await archive.content(of: chunk.task) else { return nil }
        reads.increment()
        return content
    }

    private func keep(_ task: CachedTask) -> CachedTask {
        kept.withLock { $0.set(task, cost: task.bytes, for: Key(task: task.task.id, begins: task.begins)) }
        return task
    }
}
