import Glibc

/// Resource usage of the calling thread so far. Only for code that does not suspend.
package enum ThreadUsage {
    package static var cpuSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
