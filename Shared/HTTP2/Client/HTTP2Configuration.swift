package import ServiceKit
package import TLSSocket

/// Settings and limits of a pool. The defaults suit a push provider.
package struct HTTP2Configuration: Sendable {
    /// Trust and our certificate. The pool offers HTTP/2, and before any other protocol in `applicationProtocols`: some
    /// peers end the handshake if none of the protocols offered is theirs. What they choose instead is not spoken.
    package var tls = TLSConfiguration()
    /// Maximum connections, opened on demand: another one if no open one can take a request.
    package var connections = 2
    /// Maximum streams per connection; the peer's SETTINGS may allow fewer.
    package var streamsMaximum = 1_000
    /// Maximum requests accepted and without an outcome; more are refused.
    package var requestsMaximum = 4_000
    /// Maximum further tasks waiting in `send`; more are refused.
    package var waitersMaximum = 10_000
    /// From acceptance to outcome, unless the request has its own limit.
    package var requestLimit = Duration.seconds(30)
    /// From the address lookup to the peer's first SETTINGS.
    package var openLimit = Duration.seconds(10)
    package var reconnectBackoff = Backoff(first: .milliseconds(200), longest: .seconds(30))
    /// A connection older than this is replaced, which resolves the host again and spreads the load over its current
    /// addresses.
    package var ageMaximum = Duration.seconds(6 * 3_600)
    /// An idle connection gets a PING after this time.
    package var idleBeforePing = Duration.seconds(3_600)
    /// A connection that owes responses gets a PING after this silence.
    package var silenceBeforePing = Duration.seconds(5)
    /// It is considered dead if nothing arrives for this time after the PING.
    package var pingLimit = Duration.seconds(10)
    /// Number of times a request is resent after the peer refused it unprocessed.
    package var resendsMaximum = 8
    /// Bytes kept of a response's body, and of its headers.
    package var responseBodyMaximum = 64 << 10
    package var responseHeadersMaximum = 16 << 10
    /// If set, connections are opened only to addresses for which this returns true: the host was named by somebody
    /// outside, and its name may lead anywhere.
    package var permitsAddress: (@Sendable (IPAddress) -> Bool)?
    /// If set, a new connection carries one request at a time until a response for which this returns true: the peer
    /// withholds streams until it has seen valid credentials.
    package var provesAuthentication: (@Sendable (HTTP2Response) -> Bool)?

    package init() {}
}
