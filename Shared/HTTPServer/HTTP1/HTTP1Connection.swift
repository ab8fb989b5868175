import ServiceKit
import TLSSocket

/// An HTTP/1.1 or HTTP/1.0 client connection.
///
/// `advance` does all work possible now: it sends, then reads, then handles the data read. While a client does not read
/// its responses, its requests are not read either, and while a handler runs, the next request stays in the kernel.
final class HTTP1Connection: Connection {
    private enum Phase {
        /// Waits for a request, or has part of its head.
        case head
        case body(Exchange)
        case handling
        case answering
        case streaming(HTTPStream)
        /// The response is sent; the rest of an unwanted body is discarded.
        case discarding(bytesLeft: Int)
        case closed
    }

    /// Properties of the request that determine how its response is sent.
    private struct Asked {
        var isHead = false
        var isHTTP11 = true
        var keepsAlive = false
        var route: HTTPRouter.Route?
        var began = Duration.zero
        /// Bytes of an unwanted body that is short enough to be discarded.
        var bodyBytesToDiscard = 0
    }

    private enum Wait {
        case header
        case body
        case idle
        /// Waits for the client to read.
        case reader
    }

    private static let readsInTurnMaximum = 4
    private static let streamPartsInTurnMaximum = 16
    /// A body up to this size is copied behind its head, so that both fit into one packet.
    private static let joinedBodyMaximum = 16 << 10

    let id: UInt64
    private let socket: TLSSocket
    private let address: IPAddress?
    private unowned let loop: EventLoop
    private let core: ServerCore
    private var phase = Phase.head
    private var asked = Asked()
    private var scanner: HeadScanner
    /// Data read and not handled yet, starting at `inputStart`.
    private var input: [UInt8] = []
    private var inputStart = 0
    private var outgoing = Outgoing()
    private var deadline: (at: Duration, wait: Wait)?
    private var canRead = false
    private var hasPeerFinished = false
    private var closesAfterAnswer = false
    /// True if the client may still send data after the response.
    private var lingers = false

    init(id: UInt64, socket: TLSSocket, loop: EventLoop, headerDeadline: Duration) {
        self.id = id
        self.socket = socket
        self.loop = loop
        core = loop.core
        address = PeerAddress.peer(of: socket.descriptor)
        scanner = HeadScanner(bytesMaximum: core.configuration.headerBytesMaximum)
        deadline = (headerDeadline, .header)
        // Data that arrived with the end of the handshake is in the TLS buffer, which the poller does not report.
        canRead = socket.isSecure
    }

    var idleSince: Duration? {
        guard case .head = phase, !scanner.hasBegun, input.isEmpty, let deadline else { return nil }
        return deadline.at
    }

    private var isClosed: Bool {
        if case .closed = phase { true } else { false }
    }

    var isBusy: Bool {
        switch phase {
        case .body, .handling, .answering, .streaming: true
        case .head, .discarding, .closed: false
        }
    }

    func handle(_ event: Poller.Event) {
        // A read over TLS may have been waiting for the socket to become writable.
        if event.isReadable || socket.isSecure { canRead = true }
        if event.isFinished {
            hasPeerFinished = true
            canRead = true
            // The client may still read one response, but one that closed its side is not known to read a stream.
            if case .streaming = phase { return close() }
        }
        if event.isBroken, !event.isReadable || isWaitingForHandler { return close() }
        advance()
    }

    private var isWaitingForHandler: Bool {
        if case .handling = phase { true } else { false }
    }

    func advance() {
        var reads = 0
        var parts = 0
        while !isClosed {
            guard sendOutgoing() else { return }
            switch phase {
            case .closed, .handling: return
            case .answering: finishAnswer()
            case .streaming(let stream):
                guard parts < HTTP1Connection.streamPartsInTurnMaximum else { return loop.runAgain(self) }
                parts += 1
                guard send(stream) else { return }
            case .head, .body, .discarding:
                if consumeInput() { continue }
                guard canRead else { return }
                guard reads < HTTP1Connection.readsInTurnMaximum else { return loop.runAgain(self) }
                reads += 1
                receive()
            }
        }
    }

    func handlerAnswered(_ response: HTTPResponse, stream: Int32) {
        guard case .handling = phase else {
            response.stream?.leave()
            return
        }
        answer(response)
        advance()
    }

    func bodyReady(stream: Int32) {
        advance()
    }

    func drain() {
        if case .head = phase { close() }
    }

    func expire() {
        guard let deadline, deadline.at <= loop.now else { return }
        switch deadline.wait {
        // A client that has sent nothing does not need a response.
        case .header where scanner.hasBegun || !input.isEmpty: refuse(.headerLate)
        case .body: refuse(.bodyLate)
        case .header:
            core.instruments.countRefusal(.headerLate)
            return close()
        case .idle, .reader: return close()
        }
        advance()
    }

    func close() {
        if case .closed = phase { return }
        if case .streaming(let stream) = phase { stream.leave() }
        forget()
        loop.closed(self)
    }

    private func forget() {
        phase = .closed
        deadline = nil
        input = []
        outgoing = Outgoing()
    }
}

/// Reading.
extension HTTP1Connection {
    private func receive() {
        guard let transfer = try? socket.read(into: loop.buffer) else { return close() }
        let count: Int
        switch transfer {
        case .bytes(let read): count = read
        case .wantRead, .wantWrite: return canRead = false
        case .end: return close()
        }
        // A short read has emptied a plain socket, but the end of the stream shows only in the next read.
        canRead = count == loop.buffer.count || hasPeerFinished || socket.isSecure
        let bytes = UnsafeRawBufferPointer(rebasing: loop.buffer[..<count])
        guard input.isEmpty else {
            input.append(contentsOf: bytes)
            return
        }
        let used = consume(bytes)
        guard !isClosed, used < count else { return }
        input.append(contentsOf: bytes[used...])
    }

    /// Handles buffered data of earlier reads. False if more bytes are needed.
    private func consumeInput() -> Bool {
        guard inputStart < input.count else { return false }
        let kept = input
        let used = kept.withUnsafeBytes { consume(UnsafeRawBufferPointer(rebasing: $0[inputStart...])) }
        guard !isClosed else { return true }
        inputStart += used
        if inputStart == input.count {
            input = []
            inputStart = 0
        }
        return used > 0
    }

    /// Returns the number of bytes used; zero if more are needed.
    private func consume(_ bytes: UnsafeRawBufferPointer) -> Int {
        switch phase {
        case .head: return consumeHead(bytes)
        case .body(let exchange):
            switch exchange.take(bytes) {
            case .incomplete: return bytes.count
            case .complete(let count):
                run(exchange)
                return count
            case .refused(let error):
                refuse(error)
                return bytes.count
            }
        case .discarding(let left):
            let count = min(left, bytes.count)
            if count == left { requestEnded() } else { phase = .discarding(bytesLeft: left - count) }
            return count
        case .handling, .answering, .streaming, .closed: return 0
        }
    }

    private func consumeHead(_ bytes: UnsafeRawBufferPointer) -> Int {
        let hadBegun = scanner.hasBegun
        switch scanner.scan(bytes) {
        case .incomplete:
            // The deadline of the first request already runs since the connection was opened.
            if !hadBegun, deadline?.wait == .idle {
                deadline = (loop.now + core.configuration.headerDeadline, .header)
            }
            return 0
        case .refused(let error):
            asked = Asked(began: loop.now)
            refuse(error)
            return bytes.count
        case .complete(let count):
            let head = UnsafeRawBufferPointer(rebasing: bytes[scanner.emptyLineBytes..<count])
            scanner = HeadScanner(bytesMaximum: core.configuration.headerBytesMaximum)
            asked = Asked(began: loop.now)
            switch RequestHead.parse(head) {
            case .success(let head): begin(head)
            case .failure(let error): refuse(error)
            }
            return count
        }
    }
}

/// Handling requests.
extension HTTP1Connection {
    private func begin(_ head: RequestHead) {
        asked.isHead = head.method == .head
        asked.isHTTP11 = head.isHTTP11
        asked.keepsAlive = head.keepsAlive
        let reception = Reception(head, from: address, core: core)
        asked.route = reception.route
        switch reception.verdict {
        case .answer(let response): answerEarly(response, head: head)
        case .refuse(let error): refuse(error)
        case .receive(let exchange): receiveBody(exchange, head: head)
        }
    }

    private func receiveBody(_ exchange: Exchange, head: RequestHead) {
        guard head.framing != .none else { return run(exchange) }
        if head.expectsContinue { outgoing.append(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
        phase = .body(exchange)
        deadline = (loop.now + core.configuration.bodyDeadline, .body)
    }

    private func run(_ exchange: Exchange) {
        phase = .handling
        deadline = nil
        loop.run(exchange, for: id)
    }

    /// Answers before the body is read. The connection stays open if the body is short enough to be discarded.
    private func answerEarly(_ response: HTTPResponse, head: RequestHead) {
        switch head.framing {
        case .none: answer(response)
        case .length(let count) where count <= core.configuration.bodyBytesMaximum && !head.expectsContinue:
            asked.bodyBytesToDiscard = count
            answer(response)
        case .length, .chunked, .untilEnd: answerAndClose(response)
        }
    }

    /// The server's own response to an invalid request. The rest of the request is not read, so the connection ends.
    private func refuse(_ error: RequestError) {
        core.instruments.countRefusal(error.reason)
        answerAndClose(error.response(for: asked.route))
    }

    private func answerAndClose(_ response: HTTPResponse) {
        lingers = true
        asked.keepsAlive = false
        answer(response)
    }
}

/// Sending.
extension HTTP1Connection {
    private func answer(_ response: HTTPResponse) {
        core.instruments.countAnswer(response.status, route: asked.route?.name, duration: loop.now - asked.began)
        closesAfterAnswer = response.closesConnection || !asked.keepsAlive || loop.isDraining
        deadline = nil
        switch response.body {
        case .bytes(let body): send(response, body: body)
        case .stream(let stream): begin(stream, of: response)
        }
    }

    private func send(_ response: HTTPResponse, body: [UInt8]) {
        var bytes = head(of: response, response.hasNoBody ? .none : .length(body.count))
        let sent = response.hasNoBody || asked.isHead ? [] : body
        phase = .answering
        if sent.count <= HTTP1Connection.joinedBodyMaximum {
            bytes.append(contentsOf: sent)
            outgoing.append(bytes)
        } else {
            outgoing.append(bytes)
            outgoing.append(sent)
        }
    }

    private func begin(_ stream: HTTPStream, of response: HTTPResponse) {
        let isChunked = asked.isHTTP11
        if !isChunked { closesAfterAnswer = true }
        outgoing.append(head(of: response, asked.isHead ? .none : isChunked ? .chunked : .untilClose))
        guard !asked.isHead, !hasPeerFinished else {
            stream.leave()
            phase = .answering
            closesAfterAnswer = closesAfterAnswer || !asked.isHead
            return
        }
        phase = .streaming(stream)
        stream.attach { [id, mailbox = loop.mailbox] in mailbox.post(.bodyReady(connection: id, stream: 0)) }
    }

    private func head(of response: HTTPResponse, _ framing: AnswerHead.Framing) -> [UInt8] {
        AnswerHead(
            status: response.status, fields: response.headers, framing: framing, closes: closesAfterAnswer,
            tellsKeepAlive: !asked.isHTTP11
        ).bytes(date: loop.httpDate, log: core.log)
    }

    /// False if the client must read first, or has left.
    private func sendOutgoing() -> Bool {
        guard !outgoing.isEmpty else { return true }
        switch outgoing.write(to: socket) {
        case .done:
            if deadline?.wait == .reader { deadline = nil }
            return true
        case .blocked:
            // Restarted each time the client has read something. An invited body already has its own deadline.
            if deadline == nil || deadline?.wait == .reader {
                deadline = (loop.now + core.configuration.idleTimeout, .reader)
            }
            return false
        case .broken:
            close()
            return false
        }
    }

    /// False if the stream has no data now, or was aborted.
    private func send(_ stream: HTTPStream) -> Bool {
        let isChunked = asked.isHTTP11
        switch stream.read(
            into: UnsafeMutableRawBufferPointer(rebasing: loop.buffer[..<HTTP1Connection.joinedBodyMaximum]))
        {
        case .bytes(let count):
            let part = loop.buffer[..<count]
            guard isChunked else {
                outgoing.append(Array(part))
                return true
            }
            outgoing.append(Array("\(String(count, radix: 16))\r\n".utf8) + part + [0x0D, 0x0A])
            return true
        case .wait: return false
        case .end:
            if isChunked { outgoing.append(Array("0\r\n\r\n".utf8)) }
            phase = .answering
            return true
        case .cut:
            // Without a last chunk the client can detect the incomplete body.
            close()
            return false
        }
    }

    private func finishAnswer() {
        guard !closesAfterAnswer && !loop.isDraining else {
            guard lingers || !input.isEmpty || socket.isSecure else { return close() }
            forget()
            return loop.linger(self, socket: socket)
        }
        guard asked.bodyBytesToDiscard == 0 else {
            phase = .discarding(bytesLeft: asked.bodyBytesToDiscard)
            deadline = (loop.now + core.configuration.bodyDeadline, .idle)
            return
        }
        requestEnded()
    }

    private func requestEnded() {
        phase = .head
        asked = Asked()
        deadline = (loop.now + core.configuration.idleTimeout, .idle)
        guard !loop.isDraining else { return close() }
        loop.becameIdle()
    }
}
