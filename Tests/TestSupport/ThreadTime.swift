import Glibc

/// The CPU time that the work takes of the calling thread, which a loaded machine does not change: the least of three
/// rounds, since the first pays for what the process has not loaded yet.
package func threadTime<Failure: Error>(of work: () throws(Failure) -> Void) throws(Failure) -> Duration {
    var least = Duration.seconds(1 << 30)
    for _ in 0..<3 {
        let start = threadTime()
        try work()
        least = min(least, threadTime() - start)
    }
    return least
}

private func threadTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

/// Combining marks in an order that costs most to compare, between two other texts.
package enum CombiningMarks {
    package static let pair = "\u{301}\u{323}"

    package static func text(bytes: Int) -> String {
        String(repeating: pair, count: bytes / pair.utf8.count)
    }
}
