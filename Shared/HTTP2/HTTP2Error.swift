import ServiceKit
import TLSSocket

/// Why a request has no answer, or a server or client cannot work.
package struct HTTP2Error: RetriableError, Sendable, Equatable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// The window is full: too many requests wait for their outcome.
        case full
        /// The pool is closed, or was before the outcome was known.
        case closed
        /// The request's own time was over.
        case deadline
        /// No connection came about.
        case unreachable
        /// The peer's certificate is not trusted or is for another host.
        case untrusted
        /// A file or setting of ours is wrong.
        case misconfigured
        /// The peer does not speak HTTP/2, or speaks it wrongly.
        case protocolViolation
        /// The peer refused the stream, or said goodbye before it, more often than it is sent again.
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

    /// Wrong settings and an untrusted certificate stay so until somebody changes something; the rest may pass.
    package var isRetriable: Bool {
        switch code {
        case .untrusted, .misconfigured: false
        default: true
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
