package import TLSSocket

/// Address and limits of a server.
package struct HTTP2ServerConfiguration: Sendable {
    package var address = "127.0.0.1"
    /// Zero lets the kernel choose one.
    package var port: UInt16 = 0
    /// The server negotiates HTTP/2, whatever `applicationProtocols` contains.
    package var tls: TLSServerConfiguration
    /// True if a client must offer HTTP/2 (ALPN), as RFC 9113 requires; otherwise a client without ALPN is accepted if
    /// it speaks HTTP/2, as Apple does.
    package var requiresALPN = true
    package var streamsMaximum = 1_000
    /// Bytes a client may send of one body before it gets a window update.
    package var streamWindow = 64 << 10
    /// A longer body gets 413.
    package var requestBodyMaximum = 64 << 10
    package var requestHeadersMaximum = 16 << 10
    /// Streams that a client may reset at once, and again in each second, before its connection is closed. Nil for
    /// libnghttp2's limit, 1,000 at once and 33 in a second.
    package var resetsMaximum: UInt64?
    /// Further clients wait in the kernel's queue.
    package var connectionsMaximum = 1_000
    /// Time limit for TLS and the client's first SETTINGS.
    package var openLimit = Duration.seconds(10)

    package init(tls: TLSServerConfiguration) {
        self.tls = tls
    }
}
