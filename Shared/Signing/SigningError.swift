/// Why a key cannot be used. The message names the file, or whatever else the key came from, and what would cure it.
package struct SigningError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Sendable, Equatable {
        /// There is no such file, it may not be read, or it is far too large for a key.
        case unreadable
        /// It holds no private key.
        case notAKey
        /// The key is protected by a passphrase.
        case encrypted
        /// It is a key, but not one the algorithm can sign with.
        case unsuitable
        /// OpenSSL did not sign.
        case failed
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// Somebody has to change a file first.
    package var isRetriable: Bool { false }

    package var description: String { message }
}
