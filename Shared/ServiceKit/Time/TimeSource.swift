import Glibc

/// Time for a service: the wall clock, the uptime, and sleeping.
///
/// Product code never reads the machine's clock directly, so that tests and the simulation can control time.
package protocol TimeSource: Sendable {
    /// The wall clock. It may jump either way when the machine's clock is set.
    var now: Timestamp { get }
    /// Time since some fixed moment. It never goes back, so deadlines are measured with it.
    var uptime: Duration { get }
    func sleep(for duration: Duration) async throws
    /// Performs an action after a time, unless it is cancelled before.
    func schedule(after duration: Duration, _ action: @escaping @Sendable () -> Void) -> ScheduledAction
}

package struct ScheduledAction: Sendable {
    package let cancel: @Sendable () -> Void

    package init(cancel: @escaping @Sendable () -> Void) {
        self.cancel = cancel
    }
}

extension TimeSource {
    package func schedule(after duration: Duration, _ action: @escaping @Sendable () -> Void) -> ScheduledAction {
        let sleeper = Task {
            try await sleep(for: duration)
            action()
        }
        return ScheduledAction { sleeper.cancel() }
    }
}

package struct SystemTimeSource: TimeSource {
    package init() {}

    package var now: Timestamp {
        let time = read(CLOCK_REALTIME)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
    }

    package var uptime: Duration {
        let time = read(CLOCK_MONOTONIC)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    package func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration)
    }

    private func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        clock_gettime(clock, &time)
        return time
    }
}
