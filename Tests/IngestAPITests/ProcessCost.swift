import Glibc
import ServiceKit
import Testing

/// CPU time and memory that another process uses between two moments.
struct ProcessCost {
    private let processID: pid_t
    private let cpuSecondsBefore: Double
    private let residentBytesBefore: Int
    private let codeBytesBefore: Int

    /// Starts the measurement and resets the peak memory.
    init(of processID: pid_t) throws {
        self.processID = processID
        let file = open("/proc/\(processID)/clear_refs", O_WRONLY | O_CLOEXEC)
        defer { close(file) }
        try #require(write(file, "5", 1) == 1)
        residentBytesBefore = try ProcessCost.bytes("VmRSS:", of: processID)
        codeBytesBefore = try ProcessCost.bytes("RssFile:", of: processID)
        cpuSecondsBefore = try ProcessCost.cpuSeconds(of: processID)
    }

    var cpuSeconds: Double {
        get throws { try ProcessCost.cpuSeconds(of: processID) - cpuSecondsBefore }
    }

    /// Peak resident memory beyond the initial one, without the code that was executed for the first time.
    var memoryBytes: Int {
        get throws {
            let code = try ProcessCost.bytes("RssFile:", of: processID) - codeBytesBefore
            return try ProcessCost.bytes("VmHWM:", of: processID) - residentBytesBefore - code
        }
    }

    private static func cpuSeconds(of processID: pid_t) throws -> Double {
        var clock = clockid_t()
        var used = timespec()
        try #require(clock_getcpuclockid(processID, &clock) == 0 && clock_gettime(clock, &used) == 0)
        return Double(used.tv_sec) + Double(used.tv_nsec) / 1e9
    }

    private static func bytes(_ name: String, of processID: pid_t) throws -> Int {
        let status = try #require(SmallFile.read("/proc/\(processID)/status", bytesMaximum: 64 << 10))
        let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(name) }
        let kibibytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
        return try #require(kibibytes) << 10
    }
}
