import Glibc

/// Standard error, for what a person who starts a service by hand must read.
package enum StandardError {
    package static func print(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}
