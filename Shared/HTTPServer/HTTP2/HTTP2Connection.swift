import HTTP2
import ServiceKit
import TLSSocket

/// An HTTP/2 client with up to the permitted number of concurrent requests.
///
/// While a client does not read its responses, its requests are not read either. Its memory is bounded by the number of
/// its streams, by the body budget, and by the number of its handlers running, including those of reset streams.
final class HTTP2Connection: Connection {
    private static let streamsMaximum = 100
    private static let streamWindow = 256 << 10
    private static let readsInTurnMaximum = 4
    private static let writesInTurnMaximum = 16
    private static let pieceBytes = 64 << 10
    /// Some clients lose a response if their request is reset while they send it, so the rest of the request is
    /// discarded for this long.
    private static let discardingTime = Duration.seconds(5)

    let id: UInt64
    private let socket: TLSSocket
    private let address: IPAddress?
    private unowned let loop: EventLoop
    private let core: ServerCore
    private let greetingDeadline: Duration
    /// Nil after closing.
    private var session: HTTP2RequestSession?
    private var requests: [Int32: OpenRequest] = [:]
    /// Includes handlers of streams that the client has reset: resetting a stream must not make room for another.
    private var handlersRunning = 0
    private var outgoing = Outgoing()
    private var canRead = true
    /// Deadline for a header that has begun.
    private var headerDeadline: Duration?
    /// When the last request ended, or the connection was opened.
    private var idleFrom: Duration
    /// Time since when the client must read before more can be sent.
    private var blockedSince: Duration?

    init(id: UInt64, socket: TLSSocket, loop: EventLoop, greetingDeadline: Duration) {
        self.id = id
        self.socket = socket
        self.loop = loop
        self.greetingDeadline = greetingDeadline
        core = loop.core
        address = PeerAddress.peer(of: socket.descriptor)
        idleFrom = loop.now
        session = HTTP2RequestSession(
            for: self, streamsMaximum: HTTP2Connection.streamsMaximum, streamWindow: HTTP2Connection.streamWindow,
            headerBytesMaximum: core.configuration.headerBytesMaximum)
    }

    var idleSince: Duration? { requests.isEmpty && headerDeadline == nil ? idleFrom : nil }
    var isBusy: Bool { !requests.isEmpty }

    func handle(_ event: Poller.Event) {
        canRead = true
        if event.isBroken, !event.isReadable { return close() }
        advance()
    }

    func advance() {
        var reads = 0
        while let session {
            guard send(from: session) else { return }
            if session.isOver { return end() }
            guard canRead else { return }
            guard reads < HTTP2Connection.readsInTurnMaximum else { return loop.runAgain(self) }
            reads += 1
            receive(into: session)
        }
    }

    func handlerAnswered(_ response: HTTPResponse, stream: Int32) {
        handlersRunning -= 1
        guard let request = requests[stream], request.isHandled else {
            response.stream?.leave()
            return
        }
        answer(request, response: response)
        advance()
    }

    func bodyReady(stream: Int32) {
        guard let request = requests[stream] else { return }
        session?.resume(request.stream)
        advance()
    }

    func drain() {
        session?.sayGoodbye()
        for request in requests.values where request.isDiscarding { session?.endRequest(request.stream) }
        advance()
    }

    func expire() {
        guard let session else { return }
        let now = loop.now
        let headerDeadline = session.isGreeted ? headerDeadline : greetingDeadline
        if let headerDeadline, now >= headerDeadline {
            core.instruments.countRefusal(.headerLate)
            return close()
        }
        let idleTimeout = core.configuration.idleTimeout
        if let blockedSince, now >= blockedSince + idleTimeout { return close() }
        if requests.values.contains(where: { $0.isStalled(now, for: idleTimeout) }) { return close() }
        let late = requests.values.filter { $0.isBodyLate(now) }
        for request in late { refuse(request, error: .bodyLate) }
        let toEnd = requests.values.filter { $0.isDiscardingLate(now) }
        for request in toEnd { session.endRequest(request.stream) }
        let isIdle = requests.isEmpty && now >= idleFrom + idleTimeout
        if isIdle { session.sayGoodbye() }
        if isIdle || !late.isEmpty || !toEnd.isEmpty { advance() }
    }

    func close() {
        guard forget() else { return }
        loop.closed(self)
    }

    /// Ends the connection after the last response.
    private func end() {
        guard forget() else { return }
        loop.linger(self, socket: socket)
    }

    private func forget() -> Bool {
        guard session != nil else { return false }
        session = nil
        outgoing = Outgoing()
        for request in requests.values { request.body?.leave() }
        requests = [:]
        return true
    }
}

/// Reading and sending bytes.
extension HTTP2Connection {
    private func receive(into session: HTTP2RequestSession) {
        guard let transfer = try? socket.read(into: loop.buffer) else { return close() }
        switch transfer {
        case .bytes(let count):
            let isUnderstood = session.receive(UnsafeRawBufferPointer(rebasing: loop.buffer[..<count]))
            if !isUnderstood { close() }
        case .wantRead, .wantWrite: canRead = false
        case .end: close()
        }
    }

    /// False if no progress is possible before the client reads, or before the next turn.
    private func send(from session: HTTP2RequestSession) -> Bool {
        for _ in 0..<HTTP2Connection.writesInTurnMaximum {
            if outgoing.isEmpty { gather(from: session) }
            guard !outgoing.isEmpty else { return true }
            switch outgoing.write(to: socket) {
            case .done: blockedSince = nil
            case .blocked(let hasMoved):
                if hasMoved || blockedSince == nil { blockedSince = loop.now }
                return false
            case .broken:
                close()
                return false
            }
        }
        loop.runAgain(self)
        return false
    }

    private func gather(from session: HTTP2RequestSession) {
        var piece: [UInt8] = []
        while piece.count < HTTP2Connection.pieceBytes, let frame = session.nextFrame() {
            piece.append(contentsOf: frame)
        }
        outgoing.append(piece)
    }
}

/// Handling requests.
extension HTTP2Connection: HTTP2RequestReceiver {
    func headerBegan() {
        if headerDeadline == nil { headerDeadline = loop.now + core.configuration.headerDeadline }
    }

    func headerArrived(_ stream: HTTP2RequestStream) {
        headerDeadline = nil
        guard handlersRunning < HTTP2Connection.streamsMaximum else { return session?.refuse(stream) ?? () }
        let request = OpenRequest(stream, began: loop.now)
        requests[stream.id] = request
        guard !stream.isHeaderTooLarge else {
            return refuse(request, error: .headerTooLarge(bytesMaximum: core.configuration.headerBytesMaximum))
        }
        do throws(RequestError) {
            begin(request, head: try RequestHead(stream))
        } catch {
            refuse(request, error: error)
        }
    }

    func bodyArrived(_ bytes: UnsafeRawBufferPointer, on stream: HTTP2RequestStream) {
        guard let request = requests[stream.id], let exchange = request.exchange else { return }
        if case .refused(let error) = exchange.take(bytes) { refuse(request, error: error) }
    }

    func bodyEnded(on stream: HTTP2RequestStream) {
        guard let request = requests[stream.id], let exchange = request.exchange else { return }
        run(request, exchange: exchange)
    }

    func answerEnded(on stream: HTTP2RequestStream) {
        guard !loop.isDraining else { return session?.endRequest(stream) ?? () }
        requests[stream.id]?.phase = .discarding(deadline: loop.now + HTTP2Connection.discardingTime)
    }

    func streamClosed(_ stream: HTTP2RequestStream) {
        guard let request = requests.removeValue(forKey: stream.id) else { return }
        request.body?.leave()
        if requests.isEmpty { idleFrom = loop.now }
    }

    private func begin(_ request: OpenRequest, head: RequestHead) {
        request.isHead = head.method == .head
        let reception = Reception(head, from: address, core: core)
        request.route = reception.route
        switch reception.verdict {
        case .answer(let response): answer(request, response: response)
        case .refuse(let error): refuse(request, error: error)
        case .receive(let exchange):
            guard head.framing != .none else { return run(request, exchange: exchange) }
            if head.expectsContinue { session?.invite(request.stream) }
            request.phase = .body(exchange, deadline: loop.now + core.configuration.bodyDeadline)
        }
    }

    private func run(_ request: OpenRequest, exchange: Exchange) {
        request.phase = .handling
        handlersRunning += 1
        loop.run(exchange, for: id, stream: request.stream.id)
    }

    private func refuse(_ request: OpenRequest, error: RequestError) {
        core.instruments.countRefusal(error.reason)
        answer(request, response: error.response(for: request.route))
    }

    private func answer(_ request: OpenRequest, response: HTTPResponse) {
        let duration = loop.now - request.began
        core.instruments.countAnswer(response.status, route: request.route?.name, duration: duration)
        request.phase = .answering
        request.lastProgress = loop.now
        let headers = AnswerHead.http2Fields(of: response, date: loop.httpDate, log: core.log)
        session?.answer(
            request.stream, status: response.status.code, headers: headers, body: body(of: response, for: request))
        if response.closesConnection { session?.sayGoodbye() }
    }

    private func body(of response: HTTPResponse, for request: OpenRequest) -> HTTP2RequestSession.Body {
        switch response.body {
        case .bytes(let bytes): return request.isHead || response.hasNoBody || bytes.isEmpty ? .none : .bytes(bytes)
        case .stream(let stream):
            guard !request.isHead else {
                stream.leave()
                return .none
            }
            request.body = stream
            stream.attach { [id, number = request.stream.id, mailbox = loop.mailbox] in
                mailbox.post(.bodyReady(connection: id, stream: number))
            }
            return .parts { HTTP2Connection.nextPart(of: stream, into: $0) }
        }
    }

    private static func nextPart(
        of stream: HTTPStream, into buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> OutgoingBodyPart {
        switch stream.read(into: UnsafeMutableRawBufferPointer(buffer)) {
        case .bytes(let count): .bytes(count, isLast: false)
        case .wait: .later
        case .end: .bytes(0, isLast: true)
        case .cut: .cut
        }
    }
}
