package import ServiceKit

/// Address and limits of one HTTP server. Exceeding a limit yields a specific response or closes the connection.
package struct HTTPServerConfiguration: Sendable, Equatable {
    /// The largest body limit a route may set, whatever the configuration.
    package static let routeBodyBytesMaximum = 64 << 20

    /// An IPv4 or IPv6 address; `::` accepts both kinds.
    package var address: String
    /// 0 lets the kernel choose one.
    package var port: UInt16
    /// Threads that read and write sockets. One handles tens of thousands of requests a second.
    package var threads: Int
    /// Further clients replace idle connections, or wait in the kernel's queue until a connection ends.
    package var connectionsMaximum: Int
    /// From accepting a connection, or from the first line of a later request, until the header is complete.
    package var headerDeadline: Duration
    /// Limit of request line and header fields together; more yields 431. A connection holds at most this many bytes
    /// while a header arrives, and none while it is idle.
    package var headerBytesMaximum: Int
    /// From the complete header until the complete body.
    package var bodyDeadline: Duration
    /// Limit of the body, unless the route sets its own; more yields 413.
    package var bodyBytesMaximum: Int
    /// Limit of all request bodies and their parsed forms together; more yields 503. Each peer and each key may
    /// use half of it.
    package var bodiesBytesMaximum: Int
    /// A connection without traffic in either direction is closed after this time.
    package var idleTimeout: Duration
    /// How long requests in flight may still take after the server is stopped.
    package var stopDeadline: Duration
    /// Nil for a port without TLS, which supports HTTP/1.1 only.
    package var tls: TLSFiles?
    /// Prefix of its variables' names, for errors that name the variables to change.
    package var variablePrefix: String?
    /// Proxies that are trusted to report where a request comes from.
    package var proxies = TrustedProxies()

    package init(
        address: String = "127.0.0.1", port: UInt16 = 0, threads: Int = 1, connectionsMaximum: Int = 10_000,
        headerDeadline: Duration = .seconds(10), headerBytesMaximum: Int = 16 << 10,
        bodyDeadline: Duration = .seconds(60), bodyBytesMaximum: Int = 1 << 20, bodiesBytesMaximum: Int = 64 << 20,
        idleTimeout: Duration = .seconds(60), stopDeadline: Duration = .seconds(10)
    ) {
        self.address = address
        self.port = port
        self.threads = threads
        self.connectionsMaximum = connectionsMaximum
        self.headerDeadline = headerDeadline
        self.headerBytesMaximum = headerBytesMaximum
        self.bodyDeadline = bodyDeadline
        self.bodyBytesMaximum = bodyBytesMaximum
        self.bodiesBytesMaximum = bodiesBytesMaximum
        self.idleTimeout = idleTimeout
        self.stopDeadline = stopDeadline
    }

    /// As many connections and bodies as fit into the process' memory limit: an eighth of it for connections that all
    /// hold a header, half of it for bodies.
    package static func fitting(memoryBytes: Int, isSecure: Bool = false) -> HTTPServerConfiguration {
        var configuration = HTTPServerConfiguration()
        let overheadBytes = connectionOverheadBytes + (isSecure ? secureOverheadBytes : 0)
        let connectionBytes = configuration.headerBytesMaximum + overheadBytes
        configuration.connectionsMaximum = min(max(memoryBytes / 8 / connectionBytes, 128), 10_000)
        configuration.bodiesBytesMaximum = min(max(memoryBytes / 2, 16 << 20), 1 << 30)
        configuration.isFitted = true
        return configuration
    }

    /// Memory of a connection besides the bytes that it holds, in the process and in the kernel.
    private static let connectionOverheadBytes = 4 << 10

    /// Memory that OpenSSL and libnghttp2 keep for an idle connection.
    private static let secureOverheadBytes = 20 << 10

    /// True if the limits derive from the memory limit; used by `--help`.
    private var isFitted = false

    /// `<prefix>_ADDRESS`, `_PORT`, `_THREADS`, `_CONNECTIONS_MAX`, `_HEADER_DEADLINE`, `_HEADER_MAX`,
    /// `_BODY_DEADLINE`, `_BODY_MAX`, `_BODIES_MAX`, `_IDLE_TIMEOUT` and `_STOP_DEADLINE`.
    package init(
        environment: inout EnvironmentReader, prefix: String,
        defaults: HTTPServerConfiguration = HTTPServerConfiguration()
    ) {
        self = defaults
        variablePrefix = prefix
        let fittedText = "what fits the memory limit"
        address = environment.parse(
            "\(prefix)_ADDRESS", default: address, text: address,
            meaning: "Address to listen on; :: accepts IPv4 and IPv6 from everywhere.",
            expected: "an IPv4 or IPv6 address of this machine"
        ) { IPAddress($0) == nil ? nil : $0 }
        port = UInt16(
            environment.integer(
                "\(prefix)_PORT", default: Int(port), in: 0...65_535,
                meaning: "Port to listen on; 0 chooses a free one."))
        threads = environment.integer(
            "\(prefix)_THREADS", default: threads, in: 1...64, meaning: "Threads that read and write sockets.")
        connectionsMaximum = environment.integer(
            "\(prefix)_CONNECTIONS_MAX", default: connectionsMaximum, text: isFitted ? fittedText : nil,
            in: 1...1_000_000,
            meaning: "Maximum open connections; further clients replace idle ones, or wait.")
        headerDeadline = environment.duration(
            "\(prefix)_HEADER_DEADLINE", default: headerDeadline, in: .milliseconds(100) ... .seconds(300),
            meaning: "Time limit for a complete request header.")
        headerBytesMaximum = environment.bytes(
            "\(prefix)_HEADER_MAX", default: headerBytesMaximum, in: (1 << 10)...(64 << 10),
            meaning: "Maximum size of a request header.")
        bodyDeadline = environment.duration(
            "\(prefix)_BODY_DEADLINE", default: bodyDeadline, in: .milliseconds(100) ... .seconds(3_600),
            meaning: "Time limit for a complete request body.")
        bodyBytesMaximum = environment.bytes(
            "\(prefix)_BODY_MAX", default: bodyBytesMaximum, in: 0...HTTPServerConfiguration.routeBodyBytesMaximum,
            meaning: "Maximum size of a request body, unless the route allows more.")
        bodiesBytesMaximum = environment.bytes(
            "\(prefix)_BODIES_MAX", default: bodiesBytesMaximum, text: isFitted ? fittedText : nil,
            in: (1 << 20)...(1 << 40),
            meaning:
                "Memory for all request bodies together; further requests get 503. Each client and each key may use half."
        )
        idleTimeout = environment.duration(
            "\(prefix)_IDLE_TIMEOUT", default: idleTimeout, in: .seconds(1) ... .seconds(3_600),
            meaning: "Time after which an idle connection is closed.")
        stopDeadline = environment.duration(
            "\(prefix)_STOP_DEADLINE", default: stopDeadline, in: .zero ... .seconds(3_600),
            meaning: "Time limit for requests in flight when the service stops.")
    }
}
