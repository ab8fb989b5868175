import Glibc
import ServiceKit

/// Standard error, for messages to a person who starts a service by hand.
package enum StandardError {
    package static func print(_ text: String) {
        WholeWrite.write(Array((text + "\n").utf8), to: STDERR_FILENO)
    }
}

/// For programs whose standard output is reserved for a result.
package struct StandardErrorSink: LogSink {
    package init() {}

    package func write(line: String) {
        StandardError.print(line)
    }
}
