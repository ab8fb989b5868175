import Glibc
import ServiceKit

/// CPU time and memory used by a piece of work.
struct Cost {
    /// CPU time of the thread that did the work.
    let cpu: Duration
    /// Growth of the process at its peak.
    let bytes: Int

    /// Limits of every operation: an amount per byte of the input, plus a constant.
    static let cpuPerByte = Duration.microseconds(50)
    static let bytesPerByte = 40
    private static let cpuConstant = Duration.milliseconds(5)
    /// The allocator allocates memory in steps of 132 KiB.
    private static let bytesConstant = 256 << 10

    /// Describes the exceeded limit; nil if there is none.
    func excess(for inputBytes: Int) -> String? {
        if cpu > Cost.cpuPerByte * inputBytes + Cost.cpuConstant { return "takes \(cpu) of CPU" }
        if bytes > Cost.bytesPerByte * inputBytes + Cost.bytesConstant { return "takes \(bytes) bytes of memory" }
        return nil
    }
}

/// Measures work in a process that does nothing else at the time: the size is that of the whole process.
enum CostMeter {
    static func measure(_ body: () -> Void) -> Cost {
        // Memory freed by earlier work would hide the memory that this work uses.
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

    /// Calls `malloc_trim`, which the Glibc module does not export.
    private static func returnFreeMemory() {
        guard let symbol = dlsym(nil, "malloc_trim") else { preconditionFailure("this is no glibc") }
        _ = unsafeBitCast(symbol, to: (@convention(c) (Int) -> Int32).self)(0)
    }

    /// proc(5): 5 resets the peak of the resident size to its current value.
    private static func resetPeak() {
        let file = open("/proc/self/clear_refs", O_WRONLY)
        precondition(file >= 0 && write(file, "5", 1) == 1, "the peak of memory cannot be reset")
        close(file)
    }

    /// Reads a value of /proc/self/status, in bytes.
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
