package import PushModel
package import ServiceKit
package import Store
import Synchronization

/// The traces in memory, packed as in the other store.
package final class MemoryTaskTraces: TaskTraces, Revertible {
    private struct Entry {
        let bytes: [UInt8]
        let end: Timestamp
    }

    private let time: any TimeSource
    private let entries = Mutex<[TaskID: Entry]>([:])

    package init(time: any TimeSource) {
        self.time = time
    }

    package func keep(_ trace: TaskTrace, of task: TaskID, for retention: Duration) {
        entries.withLock { $0[task] = Entry(bytes: trace.packed, end: trace.closed + retention) }
    }

    package func trace(of task: TaskID, created: Timestamp?) -> TaskTrace? {
        let now = time.now
        return entries.withLock { entries in
            entries = entries.filter { now < $0.value.end }
            return entries[task].flatMap { TaskTrace(packed: $0.bytes) }
        }
    }

    package func savedState() -> @Sendable () -> Void {
        let saved = entries.withLock { $0 }
        return { self.entries.withLock { $0 = saved } }
    }
}
