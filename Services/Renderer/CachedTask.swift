import PushModel
import Rendering
import ServiceKit
import Synchronization
import TaskModel
import Topics

/// A task with its variants rendered so far: every chunk of a broadcast needs the same few variants.
final class CachedTask: Sendable {
    /// Rough memory use of a decoded task per byte of its encoding.
    static let weight = 6
    private static let longestLife = Duration.seconds(60)

    let task: PushTask
    /// Start of the devices' own life; nil for that of the task.
    let begins: Timestamp?
    let rendering: TaskRendering
    /// Payloads for Google and Huawei contain the remaining lifetime; they are rendered again after a tenth of it.
    let goodUntil: Timestamp
    private let contentBytes: Int
    private let state = Mutex(State())

    private struct State {
        var variants: [TaskRendering.Selection: Result<RenderedVariant, RenderingError>] = [:]
        var bytes = 0
    }

    init(_ task: PushTask, begins: Timestamp? = nil, contentBytes: Int, now: Timestamp) {
        self.task = task
        self.begins = begins
        self.contentBytes = contentBytes
        rendering = TaskRendering(task, begins: begins, now: now)
        goodUntil = now + CachedTask.life(of: task, begins: begins, now: now)
    }

    /// Of payloads, by the platform whose devices have the shortest rest of their life.
    private static func life(of task: PushTask, begins: Timestamp?, now: Timestamp) -> Duration {
        let rests = Platform.allCases.map { task.deadline(on: $0, from: begins) - now }.filter { $0 > .zero }
        return min(max((rests.min() ?? .zero) / 10, .seconds(1)), longestLife)
    }

    /// Estimated memory use.
    var bytes: Int { contentBytes * CachedTask.weight + 1_024 + state.withLock { $0.bytes } }

    func renewed(at now: Timestamp) -> CachedTask {
        CachedTask(task, begins: begins, contentBytes: contentBytes, now: now)
    }

    /// Rendered at most once; concurrent callers wait for the same rendering.
    func variant(_ selection: TaskRendering.Selection) -> Result<RenderedVariant, RenderingError> {
        state.withLock { state in
            if let known = state.variants[selection] { return known }
            let variant = Result { () throws(RenderingError) in try rendering.variant(selection) }
            state.variants[selection] = variant
            state.bytes += (try? variant.get())?.byteCount ?? 256
            return variant
        }
    }
}

extension RenderedVariant {
    /// Size on the bus, or slightly more.
    var byteCount: Int {
        payload.parts.reduce(64) { $0 + $1.count + 8 } + pushType.utf8.count + collapseID.utf8.count
    }
}
