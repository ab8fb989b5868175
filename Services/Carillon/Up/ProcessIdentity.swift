import Glibc
import ServiceKit

/// Identifies a process by id and start time, since the kernel reuses process ids.
struct ProcessIdentity: Equatable {
    let processID: pid_t
    /// Time from the boot of the machine to the start, in clock ticks.
    private let started: UInt64

    /// Nil if there is no such process or it is a zombie.
    init?(running processID: pid_t) {
        let bytes = SmallFile.read("/proc/\(processID)/stat", bytesMaximum: 4_096) ?? []
        // The name is in parentheses and may contain any byte; the state is field 3, the start time field 22.
        guard let end = bytes.lastIndex(of: UInt8(ascii: ")")), let text = OutsideText.string(bytes[(end + 1)...])
        else { return nil }
        let words = text.split(separator: " ")
        guard words.count > 19, words[0] != "Z", words[0] != "X", let started = UInt64(words[19]) else { return nil }
        self.processID = processID
        self.started = started
    }

    /// Nil for anything but the format of `text`.
    init?(text: String) {
        let words = text.split(separator: " ")
        guard words.count == 2, let processID = pid_t(words[0]), processID > 0, let started = UInt64(words[1]) else {
            return nil
        }
        self.processID = processID
        self.started = started
    }

    var text: String { "\(processID) \(started)" }

    var isRunning: Bool { ProcessIdentity(running: processID) == self }
}
