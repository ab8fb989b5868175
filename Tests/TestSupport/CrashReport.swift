package import ServiceKit
import Synchronization

/// Copies a program's crash output to the output of the test run: a failed test shows only a program's last lines, and
/// those do not name the location of the crash.
package final class CrashReport: Sendable {
    /// Prefixes of a trap message and of Swift's backtrace.
    private static let signs = ["Fatal error: ", "*** Signal "]
    private static let linesMaximum = 200

    private let program: String
    private let output: any LogSink
    private let linesLeft = Mutex<Int?>(nil)

    package init(of program: String, to output: any LogSink = StandardOutputSink()) {
        self.program = program
        self.output = output
    }

    /// Takes each line that the program prints.
    package func take(_ line: String) {
        let isPart = linesLeft.withLock { linesLeft in
            if linesLeft == nil, Self.signs.contains(where: line.contains) { linesLeft = Self.linesMaximum }
            guard let left = linesLeft, left > 0 else { return false }
            linesLeft = left - 1
            return true
        }
        if isPart { output.write(line: "\(program): \(line)") }
    }
}
