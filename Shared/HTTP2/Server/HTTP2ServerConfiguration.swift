package import TLSSocket

/// Where a server listens and what it allows.
package struct HTTP2ServerConfiguration: Sendable {
    package var address = "127.0.0.1"
    /// Zero lets the kernel choose one.
    package var port: UInt16 = 0
    /// HTTP/2 is what is agreed on, whatever `applicationProtocols` says.
    package var tls: TLSServerConfiguration
    /// Whether a client must ask for HTTP/2 (ALPN), as RFC 9113 wants; else one that asks for nothing is taken at its
    /// word when it speaks it, as Apple does.
    package var requiresALPN = true
    package var streamsMaximum = 1_000
    /// What a client may send of one body before it hears that there is room again.
    package var streamWindow = 64 << 10
    /// A longer body is answered with 413.
    package var requestBodyMaximum = 64 << 10
    package var requestHeadersMaximum = 16 << 10
    /// Further clients wait in the kernel's queue.
    package var connectionsMaximum = 1_000
    /// For TLS and the client's first SETTINGS.
    package var openLimit = Duration.seconds(10)

    package init(tls: TLSServerConfiguration) {
        self.tls = tls
    }
}
