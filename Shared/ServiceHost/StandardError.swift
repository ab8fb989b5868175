import Glibc
import ServiceKit

/// Standard error, for messages to a person who starts a service by hand.
package enum StandardError {
    package static func print(_ text: String) {
        WholeWrite.write(Array((text + "\n").utf8), to: STDERR_FILENO)
    }
}
