package import ServiceKit

/// What one HTTP server listens on and what it lets its clients do. Each limit has an answer or an end of its own.
package struct HTTPServerConfiguration: Sendable, Equatable {
    /// Bodies a route may ask for at most, however it is configured.
    package static let routeBodyBytesMaximum = 32 << 20

    /// An IPv4 or IPv6 address; `::` takes both kinds.
    package var address: String
    /// 0 lets the kernel pick one.
    package var port: UInt16
    /// Threads that read and write sockets. One carries tens of thousands of requests a second.
    package var threads: Int
    /// Further clients take the place of idle connections, or wait in the kernel's queue until a connection ends.
    package var connectionsMaximum: Int
    /// From accepting a connection, or from the first line of a later request, until its header is complete.
    package var headerDeadline: Duration
    /// Request line and header fields together; more is answered 431. A connection holds so many bytes at most while a
    /// header arrives, and none while it is idle.
    package var headerBytesMaximum: Int
    /// From the complete header until the complete body.
    package var bodyDeadline: Duration
    /// The body of a route that asks for nothing else; more is answered 413.
    package var bodyBytesMaximum: Int
    /// Bodies of all requests together, and what they are parsed into; beyond it requests are answered 503. One peer
    /// and one key may take half of it.
    package var bodiesBytesMaximum: Int
    /// A connection on which nothing moves, in either direction, is closed.
    package var idleTimeout: Duration
    /// How long requests in flight may still take once the server is told to stop.
    package var stopDeadline: Duration
    /// Nil for a port without TLS, which speaks HTTP/1.1 alone.
    package var tls: TLSFiles?
    /// What the names of its variables begin with, for errors that name the cure.
    package var variablePrefix: String?
    /// Who is believed about where a request comes from.
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

    /// As many connections and bodies as fit into the memory that the process may use: an eighth of it for connections
    /// that all hold a header, half of it for bodies.
    package static func fitting(memoryBytes: Int, isSecure: Bool = false) -> HTTPServerConfiguration {
        var configuration = HTTPServerConfiguration()
        let overheadBytes = connectionOverheadBytes + (isSecure ? secureOverheadBytes : 0)
        let connectionBytes = configuration.headerBytesMaximum + overheadBytes
        configuration.connectionsMaximum = min(max(memoryBytes / 8 / connectionBytes, 128), 10_000)
        configuration.bodiesBytesMaximum = min(max(memoryBytes / 2, 16 << 20), 1 << 30)
        configuration.isFitted = true
        return configuration
    }

    /// What a connection takes besides the bytes that it holds, in the process and in the kernel.
    private static let connectionOverheadBytes = 4 << 10

    /// What OpenSSL and libnghttp2 keep of a connection on which nothing moves.
    private static let secureOverheadBytes = 20 << 10

    /// Whether the bounds follow from the memory limit, for `--help`.
    private var isFitted = false

    /// `<prefix>_ADDRESS`, `_PORT`, `_THREADS`, `_CONNECTIONS_MAX`, `_HEADER_DEADLINE`, `_HEADER_MAX`, `_BODY_DEADLINE`,
    /// `_BODY_MAX`, `_BODIES_MAX`, `_IDLE_TIMEOUT` and `_STOP_DEADLINE`.
    package init(
        environment: inout EnvironmentReader, prefix: String,
        defaults: HTTPServerConfiguration = HTTPServerConfiguration()
    ) {
        self = defaults
        variablePrefix = prefix
        let fittedText = "what fits the memory limit"
        address = environment.parse(
            "\(prefix)_ADDRESS", default: address, text: address,
            meaning: "Address to listen on; :: takes IPv4 and IPv6 from everywhere.",
            expected: "an IPv4 or IPv6 address of this machine"
        ) { IPAddress($0) == nil ? nil : $0 }
        port = UInt16(
            environment.integer(
                "\(prefix)_PORT", default: Int(port), in: 0...65_535,
                meaning: "Port to listen on; 0 takes any free one."))
        threads = environment.integer(
            "\(prefix)_THREADS", default: threads, in: 1...64, meaning: "Threads that read and write sockets.")
        connectionsMaximum = environment.integer(
            "\(prefix)_CONNECTIONS_MAX", default: connectionsMaximum, text: isFitted ? fittedText : nil,
            in: 1...1_000_000,
            meaning: "Maximum open connections; further clients replace idle ones, or wait.")
        headerDeadline = environment.duration(
            "\(prefix)_HEADER_DEADLINE", default: headerDeadline, in: .milliseconds(100) ... .seconds(300),
            meaning: "Time a client has to send a complete request header.")
        headerBytesMaximum = environment.bytes(
            "\(prefix)_HEADER_MAX", default: headerBytesMaximum, in: (1 << 10)...(64 << 10),
            meaning: "Size of a request header.")
        bodyDeadline = environment.duration(
            "\(prefix)_BODY_DEADLINE", default: bodyDeadline, in: .milliseconds(100) ... .seconds(3_600),
            meaning: "Time a client has to send a complete request body.")
        bodyBytesMaximum = environment.bytes(
            "\(prefix)_BODY_MAX", default: bodyBytesMaximum, in: 0...HTTPServerConfiguration.routeBodyBytesMaximum,
            meaning: "Size of a request body, where the route does not allow more.")
        bodiesBytesMaximum = environment.bytes(
            "\(prefix)_BODIES_MAX", default: bodiesBytesMaximum, text: isFitted ? fittedText : nil,
            in: (1 << 20)...(1 << 40),
            meaning:
                "Memory for request bodies together; beyond it requests are answered 503. One client and one key may take half."
        )
        idleTimeout = environment.duration(
            "\(prefix)_IDLE_TIMEOUT", default: idleTimeout, in: .seconds(1) ... .seconds(3_600),
            meaning: "Time after which an idle connection is closed.")
        stopDeadline = environment.duration(
            "\(prefix)_STOP_DEADLINE", default: stopDeadline, in: .zero ... .seconds(3_600),
            meaning: "Time that requests in flight have to finish when the service stops.")
    }
}
