/// Reason why a socket could not be opened or used.
package struct TLSSocketError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Sendable, Equatable {
        /// The host name has no address.
        case unresolved
        /// No connection could be established.
        case unreachable
        /// A local certificate file, key file or setting is invalid.
        case misconfigured
        /// The peer's certificate is not trusted, or is for another host.
        case untrusted
        /// The handshake failed for another reason.
        case handshake
        /// The connection broke.
        case broken
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// An invalid file or an untrusted certificate stays so until a setting changes; other errors may be temporary.
    package var isRetriable: Bool {
        switch code {
        case .misconfigured, .untrusted: false
        case .unresolved, .unreachable, .handshake, .broken: true
        }
    }

    package var description: String { message }
}
