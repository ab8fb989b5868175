/// Reason why a key cannot be used. The message names the file or other source of the key, and the fix.
package struct SigningError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Sendable, Equatable {
        /// The file does not exist, cannot be read, or is far too large for a key.
        case unreadable
        /// The text contains no private key.
        case notAKey
        /// The key is protected by a passphrase.
        case encrypted
        /// The key does not fit the algorithm.
        case unsuitable
        /// OpenSSL failed to sign.
        case failed
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// An operator has to change a file first.
    package var isRetriable: Bool { false }

    package var description: String { message }
}
