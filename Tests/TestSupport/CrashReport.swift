package import ServiceKit
import Synchronization

/// Copies what a program prints about its own crash to the output of the test run: a failed test shows only a program's
/// last lines, which are not the ones that name the place.
package final class CrashReport: Sendable {
    /// How a trap and Swift's backtrace begin.
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
