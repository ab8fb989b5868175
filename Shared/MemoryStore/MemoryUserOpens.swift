package import Store
import Synchronization

/// What the opens of users teach, in memory.
package final class MemoryUserOpens: UserOpens, Revertible {
    private let records = Mutex<[UserKey: OpenRecord]>([:])

    package init() {}

    package func record(of user: UserKey) -> OpenRecord? {
        records.withLock { $0[user] }
    }

    package func update(_ user: UserKey, _ change: @Sendable (inout OpenRecord?) -> Void) -> Bool {
        records.withLock { records in
            let known = records[user]
            var next = known
            change(&next)
            if next?.hasOpens == false { next = nil }
            records[user] = next
            return next != known
        }
    }

    package func forget(_ user: UserKey) {
        records.withLock { $0[user] = nil }
    }

    package func savedState() -> @Sendable () -> Void {
        let saved = records.withLock { $0 }
        return { self.records.withLock { $0 = saved } }
    }
}
