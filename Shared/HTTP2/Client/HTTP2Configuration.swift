package import ServiceKit
package import TLSSocket

/// How a pool connects and what it allows itself. The defaults suit a provider of pushes.
package struct HTTP2Configuration: Sendable {
    /// Trust and our own certificate. HTTP/2 is what is offered, whatever `applicationProtocols` says.
    package var tls = TLSConfiguration()
    /// Connections opened as they are needed: another one when no open one can take a request.
    package var connections = 2
    /// Streams at once on one connection; the peer's SETTINGS may allow fewer.
    package var streamsMaximum = 1_000
    /// Requests accepted and not settled; more are refused.
    package var requestsMaximum = 4_000
    /// Tasks that wait in `send` beyond those; more are refused.
    package var waitersMaximum = 10_000
    /// From acceptance to outcome, unless the request has a limit of its own.
    package var requestLimit = Duration.seconds(30)
    /// From asking for the address to the peer's first SETTINGS.
    package var openLimit = Duration.seconds(10)
    package var reconnectBackoff = Backoff(first: .milliseconds(200), longest: .seconds(30))
    /// A connection older than this is replaced, which resolves the host's name anew and spreads the load over what the
    /// name then stands for.
    package var ageMaximum = Duration.seconds(6 * 3_600)
    /// A connection with nothing to do is asked whether it still lives.
    package var idleBeforePing = Duration.seconds(3_600)
    /// So is one that owes answers and has said nothing for so long.
    package var silenceBeforePing = Duration.seconds(5)
    /// It is dead when it has said nothing at all so long after the question.
    package var pingLimit = Duration.seconds(10)
    /// How often one request is sent again after the peer refused it unprocessed.
    package var resendsMaximum = 8
    /// Bytes kept of a response's body, and of its headers.
    package var responseBodyMaximum = 64 << 10
    package var responseHeadersMaximum = 16 << 10
    /// When set, a new connection carries one request at a time until an answer for which this is true has come: the
    /// peer holds back streams until it has seen valid credentials.
    package var provesAuthentication: (@Sendable (HTTP2Response) -> Bool)?

    package init() {}
}
