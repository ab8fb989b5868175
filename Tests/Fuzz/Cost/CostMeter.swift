import Glibc
import ServiceKit

/// What a piece of work takes of the machine.
struct Cost {
    /// Of the thread that did it.
    let cpu: Duration
    /// By which the process was larger at its largest.
    let bytes: Int

    /// Of every operation: so much for each byte of the input, beyond a constant.
    static let cpuPerByte = Duration.microseconds(50)
    static let bytesPerByte = 40
    private static let cpuConstant = Duration.milliseconds(5)
    /// The allocator takes memory in steps of 132 KiB.
    private static let bytesConstant = 256 << 10

    /// What is exceeded, in words; nil when nothing is.
    func excess(for inputBytes: Int) -> String? {
        if cpu > Cost.cpuPerByte * inputBytes + Cost.cpuConstant { return "takes \(cpu) of CPU" }
        if bytes > Cost.bytesPerByte * inputBytes + Cost.bytesConstant { return "takes \(bytes) bytes of memory" }
        return nil
    }
}

/// Measures work in a process that does nothing else meanwhile: the size is the whole process's.
enum CostMeter {
    static func measure(_ body: () -> Void) -> Cost {
        // What earlier work has freed would hide what this work takes.
        returnFreeMemory()
        resetPeak()
        let size = status("VmRSS:")
        let start = threadTime
        body()
        let cpu = threadTime - start
        return Cost(cpu: cpu, bytes: max(0, status("VmHWM:") - size))
    }

    static func cpu(of body: () -> Void) -> Duration {
        let start = threadTime
        body()
        return threadTime - start
    }

    private static var threadTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// `malloc_trim`, which the Glibc module does not show.
    private static func returnFreeMemory() {
        guard let symbol = dlsym(nil, "malloc_trim") else { preconditionFailure("this is no glibc") }
        _ = unsafeBitCast(symbol, to: (@convention(c) (Int) -> Int32).self)(0)
    }

    /// proc(5): 5 sets the peak of the resident size to its present value.
    private static func resetPeak() {
        let file = open("/proc/self/clear_refs", O_WRONLY)
        precondition(file >= 0 && write(file, "5", 1) == 1, "the peak of memory cannot be reset")
        close(file)
    }

    /// Bytes behind a name in the process's status.
    private static func status(_ name: String) -> Int {
        let text = SmallFile.read("/proc/self/status", bytesMaximum: 64 << 10).map {
            String(decoding: $0, as: UTF8.self)
        }
        let line = text?.split(separator: "\n").first { $0.hasPrefix(name) }
        let kibibytes = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }
        guard let kibibytes else { preconditionFailure("/proc/self/status has no \(name)") }
        return kibibytes << 10
    }
}
