import ServiceKit
import TLSSocket

/// Why a command has no usable reply. Callers mainly need to know whether it may have been executed.
package struct RedisError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Sendable, Equatable {
        /// It was not completely sent, so it was not executed.
        case notSent
        /// It was sent but not answered: it may have been executed, or may still be.
        case unknown
        /// The server answered with an error that starts with this word, such as `WRONGTYPE`.
        case reply(String)
        /// The client is closed. The command was not sent.
        case closed
        /// The bound on outstanding bytes is reached. The command was not sent.
        case full
        /// The server, or our check of it, refuses the settings: password, database, certificate. Not sent.
        case refused
        /// The settings are invalid, whatever the server.
        case misconfigured
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The error for a reply line such as `-MOVED 3999 127.0.0.1:6381`.
    package init(reply line: String) {
        self.init(.reply(String(line.prefix { $0 != " " })), message: line)
    }

    /// True if the same command may be retried: it was not executed, and waiting can help.
    ///
    /// Excludes `unknown`, since the command may have been executed; callers of idempotent commands can retry it too.
    package var isRetriable: Bool {
        switch code {
        case .notSent, .full: true
        // The server is loading, is no longer primary, or a slot is moving; none of them executed the command.
        case .reply("LOADING"), .reply("READONLY"), .reply("MASTERDOWN"), .reply("CLUSTERDOWN"), .reply("TRYAGAIN"),
            .reply("BUSY"), .reply("NOREPLICAS"):
            true
        // Too many redirects: the servers of a cluster do not agree yet.
        case .reply("MOVED"), .reply("ASK"):
            true
        case .reply, .unknown, .closed, .refused, .misconfigured: false
        }
    }

    package var description: String { Redaction.redact(message) }
}

extension RedisError {
    init(_ error: TLSSocketError) {
        self.init(error.isRetriable ? .notSent : .refused, message: error.message)
    }

    /// Runs a step on the socket and translates its error.
    static func translating<Value>(
        _ body: () throws(TLSSocketError) -> Value
    ) throws(RedisError) -> Value {
        do throws(TLSSocketError) {
            return try body()
        } catch {
            throw RedisError(error)
        }
    }
}
