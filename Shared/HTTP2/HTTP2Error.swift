import ServiceKit
import TLSSocket

/// Reason why a request has no response, or a server or client cannot work.
package struct HTTP2Error: RetriableError, Sendable, Equatable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// The window is full: too many requests wait for their outcome.
        case full
        /// The pool is closed, or was closed before the outcome was known.
        case closed
        /// The request's deadline has passed.
        case deadline
        /// No connection could be established.
        case unreachable
        /// No address of the host is permitted.
        case addressRefused
        /// The peer's certificate is not trusted or is for another host.
        case untrusted
        /// A local file or setting is invalid.
        case misconfigured
        /// The peer does not offer HTTP/2.
        case notOffered
        /// The peer violates HTTP/2.
        case protocolViolation
        /// The peer refused the stream, or sent GOAWAY before it, more often than the limit of resends.
        case refused
        /// The peer ended the stream with an error.
        case reset
        /// The connection broke or was closed.
        case broken
        /// The peer did not answer a PING.
        case silent
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, message: String) {
        self.code = code
        self.message = message
    }

    init(_ error: TLSSocketError) {
        let code: Code =
            switch error.code {
            case .unresolved, .unreachable: .unreachable
            case .misconfigured: .misconfigured
            case .untrusted: .untrusted
            case .handshake, .broken: .broken
            }
        self.init(code, message: error.message)
    }

    /// Invalid settings and an untrusted certificate stay so until someone changes them; other errors may be temporary.
    package var isRetriable: Bool {
        switch code {
        case .untrusted, .misconfigured: false
        default: true
        }
    }

    /// True if waiting for a connection does not help: requests that wait for it are given back at once.
    var isFinal: Bool {
        switch code {
        case .addressRefused, .notOffered: true
        default: !isRetriable
        }
    }

    package var description: String { message }

    static func translating<Value>(_ body: () throws(TLSSocketError) -> Value) throws(HTTP2Error) -> Value {
        do throws(TLSSocketError) {
            return try body()
        } catch {
            throw HTTP2Error(error)
        }
    }
}
