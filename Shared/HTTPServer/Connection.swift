/// One client connection of an event loop, for one protocol. Confined to the loop's thread.
protocol Connection: AnyObject {
    var id: UInt64 { get }
    /// Time since which it can be closed without losing data; nil if it cannot.
    var idleSince: Duration? { get }
    /// True if a request is in flight whose response is not sent yet.
    var isBusy: Bool { get }
    /// True after the last response, while waiting for the client to close its side.
    var isLingering: Bool { get }

    func handle(_ event: Poller.Event)
    /// Does all work possible now, or at most one turn's share of it.
    func advance()
    /// Receives the handler's response, dropped if the client has left. HTTP/1 has no streams and uses stream 0.
    func handlerAnswered(_ response: HTTPResponse, stream: Int32)
    /// A streamed response body has data again.
    func bodyReady(stream: Int32)
    /// Enforces deadlines that have passed.
    func expire()
    /// The server stops: a connection without a request is closed, others end after their responses.
    func drain()
    func close()
}

extension Connection {
    var isLingering: Bool { false }
    func handlerAnswered(_ response: HTTPResponse, stream: Int32) { response.stream?.leave() }
    func bodyReady(stream: Int32) {}
}
