import Glibc

/// Measures the CPU time of the work on the calling thread, which is independent of the machine's load. The result is
/// the minimum of three rounds, since the first also pays for lazy loading.
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

/// A text of combining marks, between two other texts, in the order that is most expensive to compare.
package enum CombiningMarks {
    package static let pair = "\u{301}\u{323}"

    package static func text(bytes: Int) -> String {
        String(repeating: pair, count: bytes / pair.utf8.count)
    }
}
