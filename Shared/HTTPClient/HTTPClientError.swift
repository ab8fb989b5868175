/// Why a request has no answer.
package struct HTTPClientError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: String, Sendable, CaseIterable {
        /// The request makes no sense: its URL, a header.
        case invalid
        /// As many requests wait as may.
        case full
        /// The client is closed, or was before the request was done.
        case closed
        /// The task that asked was cancelled.
        case cancelled
        case deadline
        /// The host's name has no address.
        case unresolved
        /// The policy permits none of the host's addresses.
        case addressRefused = "address_refused"
        /// Nobody took the connection.
        case unreachable
        /// The server's certificate is not trusted, or is for another host.
        case untrusted
        /// TLS failed for another reason.
        case handshake
        /// The connection broke, or what came was not HTTP.
        case broken
        /// A file or setting of ours is wrong.
        case misconfigured
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// Whether waiting can help. What was never sent may then be tried again; what has an unknown outcome only if it
    /// may be carried out twice.
    package var isRetriable: Bool {
        switch code {
        case .full, .deadline, .unresolved, .unreachable, .handshake, .broken: true
        case .invalid, .closed, .cancelled, .addressRefused, .untrusted, .misconfigured: false
        }
    }

    package var description: String { message }
}
