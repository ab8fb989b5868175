import CommandKit
import Glibc
import ServiceKit

/// Resources used by another process so far.
struct ProcessReading: Sendable {
    let cpuSeconds: Double
    let memoryBytesPeak: Int

    init(_ process: pid_t) throws {
        var clock = clockid_t()
        var used = timespec()
        let status = SmallFile.read("/proc/\(process)/status", bytesMaximum: 64 << 10) ?? []
        let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
        guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &used) == 0,
            let peak = lines.first(where: { $0.hasPrefix("VmHWM:") })?.split(whereSeparator: \.isWhitespace)
                .dropFirst().first.flatMap({ Int($0) })
        else { throw BenchError("process \(process) has ended") }
        cpuSeconds = Double(used.tv_sec) + Double(used.tv_nsec) / 1e9
        memoryBytesPeak = peak * 1_024
    }
}

extension LocalRedis {
    func usage() throws -> ProcessReading {
        try ProcessReading(processID)
    }
}
