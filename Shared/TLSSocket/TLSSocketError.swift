/// Why a socket could not be opened or used.
package struct TLSSocketError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Sendable, Equatable {
        /// The host name has no address.
        case unresolved
        /// Nobody took the connection.
        case unreachable
        /// A certificate or key file of ours, or a setting, is wrong.
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

    /// A wrong file or an untrusted certificate stays so until somebody changes a setting; the rest may pass.
    package var isRetriable: Bool {
        switch code {
        case .misconfigured, .untrusted: false
        case .unresolved, .unreachable, .handshake, .broken: true
        }
    }

    package var description: String { message }
}
