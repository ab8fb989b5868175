import Glibc
import Synchronization

/// Copies what a program prints about its own crash to the output of the test run: a failed test shows only a program's
/// last lines, which are not the ones that name the place.
package final class CrashReport: Sendable {
    /// How a trap, Swift's backtrace and the sanitizers' reports begin.
    private static let signs = ["Fatal error: ", "*** Signal ", "ERROR: AddressSanitizer", "WARNING: ThreadSanitizer"]
    private static let linesMaximum = 200

    private let program: String
    private let output: @Sendable (String) -> Void
    private let linesLeft = Mutex<Int?>(nil)

    package init(of program: String, output: (@Sendable (String) -> Void)? = nil) {
        self.program = program
        self.output = output ?? CrashReport.writeToStandardError
    }

    /// Takes each line that the program prints.
    package func take(_ line: String) {
        let isPart = linesLeft.withLock { linesLeft in
            if linesLeft == nil, Self.signs.contains(where: line.contains) { linesLeft = Self.linesMaximum }
            guard let left = linesLeft, left > 0 else { return false }
            linesLeft = left - 1
            return true
        }
        if isPart { output("\(program): \(line)") }
    }

    private static func writeToStandardError(_ line: String) {
        var line = line + "\n"
        line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
