import Glibc

/// A value under a lock on which native threads can wait for a change.
///
/// `Synchronization.Mutex` has no condition variable, and a task must never block. This type is for the threads that
/// call C libraries and for the tasks that pass work to them.
///
/// `@unchecked Sendable`: `value` is touched only while `mutex` is held.
package final class Monitor<Value>: @unchecked Sendable {
    private var value: Value
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>

    package init(_ value: sending Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        changed = .allocate(capacity: 1)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // A change of the wall clock must neither shorten nor prolong a wait.
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(changed)
        changed.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }

    /// Changes the value and wakes all waiting threads.
    package func change<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(changed)
            pthread_mutex_unlock(mutex)
        }
        return body(&value)
    }

    /// Blocks the calling thread until `body`, evaluated after each change, returns a result; nil after `timeout`.
    package func wait<Result>(timeout: Duration, until body: (inout Value) -> Result?) -> Result? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        var deadline = Monitor.deadline(after: timeout)
        while true {
            if let result = body(&value) { return result }
            if pthread_cond_timedwait(changed, mutex, &deadline) == ETIMEDOUT { return body(&value) }
        }
    }

    /// A negative limit, from a deadline that has passed, would yield a time that the system refuses immediately, in an
    /// endless loop; a limit of some decades would overflow.
    private static func deadline(after timeout: Duration) -> timespec {
        let wait = min(max(timeout, .zero), .seconds(Int64(Int32.max))).components
        var deadline = timespec()
        clock_gettime(CLOCK_MONOTONIC, &deadline)
        let nanoseconds = Int(deadline.tv_nsec) + Int(wait.attoseconds / 1_000_000_000)
        deadline.tv_sec += Int(wait.seconds) + nanoseconds / 1_000_000_000
        deadline.tv_nsec = nanoseconds % 1_000_000_000
        return deadline
    }
}
