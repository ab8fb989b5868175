/// Reason why a request has no response.
package struct HTTPClientError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: String, Sendable, CaseIterable {
        /// The request is invalid: its URL or a header.
        case invalid
        /// The queue is full.
        case full
        /// The client is closed, or was closed before the request was done.
        case closed
        /// The calling task was cancelled.
        case cancelled
        case deadline
        /// The host name has no address.
        case unresolved
        /// The policy permits none of the host's addresses.
        case addressRefused = "address_refused"
        /// No connection could be established.
        case unreachable
        /// The server's certificate is not trusted, or is for another host.
        case untrusted
        /// TLS failed for another reason.
        case handshake
        /// The connection broke, or the response was not valid HTTP.
        case broken
        /// A local file or setting is invalid.
        case misconfigured
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// True if waiting can help. A request that was not sent may then be repeated; one of unknown outcome only if it
    /// may be processed twice.
    package var isRetriable: Bool {
        switch code {
        case .full, .deadline, .unresolved, .unreachable, .handshake, .broken: true
        case .invalid, .closed, .cancelled, .addressRefused, .untrusted, .misconfigured: false
        }
    }

    package var description: String { message }
}
