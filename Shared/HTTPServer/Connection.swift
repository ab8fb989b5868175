/// One client of an event loop, in the protocol that it speaks. Lives on the loop's thread.
protocol Connection: AnyObject {
    var id: UInt64 { get }
    /// Whether it could be closed without cutting anything off, and since when.
    var idleSince: Duration? { get }
    /// Whether a request is under way whose answer is not sent.
    var isBusy: Bool { get }
    /// It has answered its last request and waits for the client to close its side.
    var isLingering: Bool { get }

    func handle(_ event: Poller.Event)
    /// Does all that can be done now, or a turn's share of it.
    func advance()
    /// The handler's answer; it goes nowhere when the client has left. HTTP/1 has no streams and calls its request zero.
    func handlerAnswered(_ response: HTTPResponse, stream: Int32)
    /// The body of an answer that is written while it is sent has something again.
    func bodyReady(stream: Int32)
    /// Ends deadlines that are over.
    func expire()
    /// The server stops: a connection without a request is closed, others end with their answers.
    func drain()
    func close()
}

extension Connection {
    var isLingering: Bool { false }
    func handlerAnswered(_ response: HTTPResponse, stream: Int32) { response.stream?.leave() }
    func bodyReady(stream: Int32) {}
}
