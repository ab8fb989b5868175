import Glibc
import ServiceKit

/// One process, and no later one that got the same number: the kernel gives numbers again.
struct ProcessIdentity: Equatable {
    let processID: pid_t
    /// Since the machine was started, in the kernel's ticks.
    private let started: UInt64

    /// Nil when there is no such process, or it has ended and is only waiting for its parent.
    init?(running processID: pid_t) {
        let bytes = SmallFile.read("/proc/\(processID)/stat", bytesMaximum: 4_096) ?? []
        // The name stands in parentheses and may hold any byte; the state comes third, the start twenty-second.
        guard let end = bytes.lastIndex(of: UInt8(ascii: ")")), let text = OutsideText.string(bytes[(end + 1)...])
        else { return nil }
        let words = text.split(separator: " ")
        guard words.count > 19, words[0] != "Z", words[0] != "X", let started = UInt64(words[19]) else { return nil }
        self.processID = processID
        self.started = started
    }

    /// Nil for anything but what `text` writes.
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
