import Glibc

/// Time as a service sees it: what the wall says, how long it has been up, and waiting.
///
/// Nothing in the product asks the machine for time directly, so that a test or the simulation can turn the hands.
package protocol TimeSource: Sendable {
    /// What the wall says. It may jump either way when the machine's clock is set.
    var now: Timestamp { get }
    /// Time since some fixed moment; never goes back, so it is what deadlines are measured with.
    var uptime: Duration { get }
    func sleep(for duration: Duration) async throws
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
