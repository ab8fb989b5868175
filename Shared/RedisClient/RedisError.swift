import ServiceKit
import TLSSocket

/// Why a command has no answer to use. What matters to a caller is whether it can have been executed.
package struct RedisError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Sendable, Equatable {
        /// It never left this process whole, so it was not executed.
        case notSent
        /// It was sent and no answer came: it may have been executed, or may still be.
        case unknown
        /// The server answered with an error that starts with this word, such as `WRONGTYPE`.
        case reply(String)
        /// The client is closed. The command was not sent.
        case closed
        /// The bound on outstanding bytes is reached. The command was not sent.
        case full
        /// The server, or our check of it, refuses these settings: password, database, certificate. Not sent.
        case refused
        /// The settings make no sense, whatever the server.
        case misconfigured
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The error a reply line such as `-MOVED 3999 127.0.0.1:6381` stands for.
    package init(reply line: String) {
        self.init(.reply(String(line.prefix { $0 != " " })), message: line)
    }

    /// Whether the same command may be sent again at once: it was not executed, and waiting can help.
    ///
    /// `unknown` is not among them, since it may have been executed; who sends commands that may run twice can repeat
    /// those as well.
    package var isRetriable: Bool {
        switch code {
        case .notSent, .full: true
        // The server loads its data, is no primary any more, or a slot is moving; none of them executed anything.
        case .reply("LOADING"), .reply("READONLY"), .reply("MASTERDOWN"), .reply("CLUSTERDOWN"), .reply("TRYAGAIN"),
            .reply("BUSY"), .reply("NOREPLICAS"):
            true
        // More redirects than are followed: the servers of a cluster do not agree yet.
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

    /// Runs a step on the socket; its error becomes one of ours.
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
