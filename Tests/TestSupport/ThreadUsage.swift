import Glibc

/// What the calling thread has used so far. For code that does not suspend.
package enum ThreadUsage {
    package static var cpuSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
