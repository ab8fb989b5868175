import Bus
import PushModel
import ServiceKit
import Store
import Synchronization
import TaskKit
import TaskModel
import Topics

/// The tasks that chunks are rendered from, and the parts of their lists with contents: the most recently used in
/// memory, the others in the archive. Workers use it concurrently; two that miss the same task both read it, which is
/// harmless.
final class TaskCache: Sendable {
    /// Parts that are read concurrently for one chunk.
    private static let partsAtOnce = 4

    /// Devices with a life of their own get payloads of their own.
    private struct Key: Hashable {
        let task: TaskID
        let begins: Timestamp?
        /// Of a part of its list, which serves devices with any life.
        var part: Int?
    }

    private enum Entry {
        case task(CachedTask)
        case part(CachedPart)

        var bytes: Int {
            switch self {
            case .task(let task): task.bytes
            case .part(let part): part.bytes
            }
        }
    }

    private let archive: any TaskArchive
    private let kept: Mutex<RecentlyUsed<Key, Entry>>
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
        if case .task(let task) = known(key) {
            return task.goodUntil > now ? task : keep(task.renewed(at: now))
        }
        guard let content = try await content(of: chunk) else { return nil }
        let task = try PushTask(archived: content, of: id)
        return keep(CachedTask(task, begins: key.begins, contentBytes: content.count, now: now))
    }

    /// The listed contents that the chunk's devices get are added, except those whose parts the archive does not have.
    func contents(of chunk: AudienceChunk, task: CachedTask, now: Timestamp) async throws -> ChunkContents {
        var contents = ChunkContents(task)
        let places = Dictionary(grouping: chunk.contents.compactMap(\.location), by: \.part)
        let parts = try await Array(places).concurrentMap(atOnce: TaskCache.partsAtOnce) { [self] number, locations in
            try await tasks(at: locations.map(\.place), ofPart: number, of: task, now: now)
        }
        for part in parts { contents.add(part) }
        return contents
    }

    /// Empty if the archive does not have the part.
    private func tasks(
        at places: [Int], ofPart number: Int, of task: CachedTask, now: Timestamp
    ) async throws -> [ContentNumber: CachedTask] {
        guard let part = try await part(number, of: task.task.id) else { return [:] }
        var tasks: [ContentNumber: CachedTask] = [:]
        for place in places {
            guard let own = part.task(at: place, of: task, now: now) else {
                throw PoisonMessageError("part \(number) of the list of task \(task.task.id) has no content \(place)")
            }
            tasks[ContentNumber(part: number, place: place)] = own
        }
        return tasks
    }

    private func part(_ number: Int, of task: TaskID) async throws -> CachedPart? {
        let key = Key(task: task, begins: nil, part: number)
        if case .part(let part) = known(key) { return part }
        guard let bytes = try await archive.part(number, of: task) else { return nil }
        let part = CachedPart(try TaskPart(archived: bytes, of: task), contentBytes: bytes.count)
        keep(.part(part), for: key)
        return part
    }

    private func known(_ key: Key) -> Entry? {
        kept.withLock { $0.value(for: key) { $0.bytes } }
    }

    private func content(of chunk: AudienceChunk) async throws -> [UInt8]? {
        guard chunk.content.isEmpty else { return chunk.content }
        guard let content = try await archive.content(of: chunk.task) else { return nil }
        reads.increment()
        return content
    }

    private func keep(_ task: CachedTask) -> CachedTask {
        keep(.task(task), for: Key(task: task.task.id, begins: task.begins))
        return task
    }

    private func keep(_ entry: Entry, for key: Key) {
        kept.withLock { $0.set(entry, cost: entry.bytes, for: key) }
    }
}
