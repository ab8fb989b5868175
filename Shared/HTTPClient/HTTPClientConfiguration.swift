package import ServiceKit

/// Limits and settings of one HTTP client.
package struct HTTPClientConfiguration: Sendable, Equatable {
    /// Its name in metrics and log lines.
    package var name: String
    /// Maximum requests in flight; further ones wait.
    package var concurrentMaximum = 256
    /// Maximum requests in flight to one host, so that a slow host does not block the others. Over HTTP/2 they share a
    /// connection, otherwise each uses its own.
    package var hostMaximum = 64
    /// Maximum queued requests; further ones are refused.
    package var waitingMaximum = 4_096
    /// From the call to the last byte of the response, unless the request sets its own.
    package var deadline: Duration = .seconds(30)
    /// From the start of a connection until TLS is established.
    package var connectDeadline: Duration = .seconds(5)
    /// Limit of the response body to keep, unless the request sets its own.
    package var responseBytesMaximum = 1 << 20
    /// Connections kept open for later requests.
    package var idleConnectionsMaximum = 64
    /// A PEM file of authorities to trust instead of the system's.
    package var authorityFile: String?
    /// PEM files with a certificate to present, and its key; read for each connection.
    package var certificateFile: String?
    package var privateKeyFile: String?

    package init(name: String) {
        self.name = name
    }

    /// `<prefix>_CONCURRENT_MAX`, `_WAITING_MAX`, `_HOST_MAX`, `_DEADLINE`, `_CONNECT_DEADLINE` and `_CA_FILE`.
    package init(
        environment: inout EnvironmentReader, prefix: String, defaults: HTTPClientConfiguration
    ) {
        self = defaults
        concurrentMaximum = environment.integer(
            "\(prefix)_CONCURRENT_MAX", default: concurrentMaximum, in: 1...10_000,
            meaning: "Maximum requests in flight; further ones wait.")
        waitingMaximum = environment.integer(
            "\(prefix)_WAITING_MAX", default: waitingMaximum, in: 0...1_000_000,
            meaning: "Maximum waiting requests; further ones are refused and tried again later.")
        hostMaximum = environment.integer(
            "\(prefix)_HOST_MAX", default: hostMaximum, in: 1...10_000,
            meaning: "Maximum requests in flight to one host; further ones wait.")
        deadline = environment.duration(
            "\(prefix)_DEADLINE", default: deadline, in: .milliseconds(100) ... .seconds(600),
            meaning: "Time from queueing a request until its response is complete.")
        connectDeadline = environment.duration(
            "\(prefix)_CONNECT_DEADLINE", default: connectDeadline, in: .milliseconds(100) ... .seconds(60),
            meaning: "Time limit to establish a connection, TLS included.")
        authorityFile =
            environment.file(
                "\(prefix)_CA_FILE", meaning: "PEM file of certificate authorities to trust instead of the system's.")
            ?? authorityFile
    }
}
