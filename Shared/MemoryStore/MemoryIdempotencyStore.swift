package import ServiceKit
package import Store
import Synchronization

/// Idempotency keys in memory.
package final class MemoryIdempotencyStore: IdempotencyStore, Revertible {
    private struct Entry {
        let fingerprint: [UInt8]
        let start: RequestStart
        let firstHolder: UInt64
        var holder: UInt64
        var leaseEnd: Timestamp
        var answer: [UInt8]?
        /// Nil for the retention.
        var until: Timestamp?

        func isOver(at now: Timestamp) -> Bool { now >= until ?? start.began + IdempotencyBounds.retention }
    }

    private let time: any TimeSource
    private let entries = Mutex<[[UInt8]: Entry]>([:])

    package init(time: any TimeSource) {
        self.time = time
    }

    package func begin(
        _ request: IdempotentRequest, at accepted: Timestamp, for lease: Duration
    ) -> IdempotencyVerdict {
        let now = time.now
        return entries.withLock { entries in
            entries = entries.filter { !$0.value.isOver(at: now) }
            guard var entry = entries[request.key] else {
                let start = RequestStart(began: now, accepted: accepted)
                entries[request.key] = Entry(
                    fingerprint: request.fingerprint, start: start, firstHolder: request.holder, holder: request.holder,
                    leaseEnd: now + lease)
                return .begun(start)
            }
            guard entry.fingerprint == request.fingerprint else { return .otherRequest }
            if let answer = entry.answer { return .answered(answer) }
            guard entry.holder == request.holder || entry.leaseEnd <= now else { return .inProgress }
            entry.holder = request.holder
            entry.leaseEnd = now + lease
            entries[request.key] = entry
            return .begun(entry.start)
        }
    }

    package func finish(_ request: IdempotentRequest, answer: [UInt8], until end: Timestamp?) {
        entries.withLock { entries in
            guard let entry = entries[request.key], entry.fingerprint == request.fingerprint, entry.answer == nil
            else { return }
            entries[request.key]?.answer = answer
            entries[request.key]?.until = end
        }
    }

    package func release(_ request: IdempotentRequest) {
        let now = time.now
        entries.withLock { entries in
            if entries[request.key]?.holder == request.holder { entries[request.key]?.leaseEnd = now }
        }
    }

    package func forget(_ request: IdempotentRequest) {
        release(request)
        entries.withLock { entries in
            guard let entry = entries[request.key], entry.answer == nil, entry.holder == request.holder,
                entry.firstHolder == request.holder
            else { return }
            entries[request.key] = nil
        }
    }

    package func savedState() -> @Sendable () -> Void {
        let saved = entries.withLock { $0 }
        return { self.entries.withLock { $0 = saved } }
    }
}
