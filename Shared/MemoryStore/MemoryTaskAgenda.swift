package import PushModel
package import ServiceKit
import Store
import Synchronization

/// The agenda in memory.
package final class MemoryTaskAgenda: TaskAgenda, Revertible {
    private let time: any TimeSource
    private let due = Mutex<[TaskID: Timestamp]>([:])

    package init(time: any TimeSource) {
        self.time = time
    }

    package func enter(_ task: TaskID, due moment: Timestamp) {
        due.withLock { due in
            if due[task] == nil { due[task] = moment }
        }
    }

    package func take(upTo count: Int, for lease: Duration) -> [TaskID] {
        let now = time.now
        return due.withLock { due in
            let taken = due.filter { $0.value <= now }.sorted { $0.value < $1.value }.prefix(count).map(\.key)
            for task in taken { due[task] = now + lease }
            return taken
        }
    }

    /// True if `take` would return something.
    package var hasDue: Bool {
        let now = time.now
        return due.withLock { $0.values.contains { $0 <= now } }
    }

    package func postpone(_ task: TaskID, until moment: Timestamp) {
        due.withLock { due in
            if due[task] != nil { due[task] = moment }
        }
    }

    package func finish(_ task: TaskID) {
        due.withLock { $0[task] = nil }
    }

    package func count() -> Int {
        due.withLock { $0.count }
    }

    package func savedState() -> @Sendable () -> Void {
        let saved = due.withLock { $0 }
        return { self.due.withLock { $0 = saved } }
    }
}
