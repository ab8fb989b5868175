import Glibc

/// Resources this process has used so far; subtract two values to get the use between them.
package struct Usage: Sendable {
    package let seconds: Double
    package let cpuSeconds: Double
    /// Peak resident memory since the process started.
    package let memoryBytesPeak: Int

    package static var now: Usage {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let user = Double(usage.ru_utime.tv_sec) + Double(usage.ru_utime.tv_usec) / 1e6
        let system = Double(usage.ru_stime.tv_sec) + Double(usage.ru_stime.tv_usec) / 1e6
        return Usage(
            seconds: SystemTimeSource().uptime.inSeconds, cpuSeconds: user + system,
            memoryBytesPeak: usage.ru_maxrss * 1_024)
    }

    package static func - (later: Usage, earlier: Usage) -> Usage {
        Usage(
            seconds: later.seconds - earlier.seconds, cpuSeconds: later.cpuSeconds - earlier.cpuSeconds,
            memoryBytesPeak: later.memoryBytesPeak)
    }
}
