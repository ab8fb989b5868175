import Glibc
import ServiceKit

/// One client's connection. Lives on the thread of its event loop.
///
/// `advance` does all that can be done now: it sends, then reads, then handles what was read. A client that does not
/// read its answers is not read either, and while a handler works on one request the next one stays in the kernel.
final class Connection {
    private enum Phase {
        /// Waits for a request, or has a part of its head.
        case head
        case body(Exchange)
        case handling
        case answering
        case streaming(HTTPStream)
        /// The answer is sent; the rest of a body that is not wanted is read over.
        case discarding(bytesLeft: Int)
        /// Our side is closed; see `lingers`.
        case lingering(bytesLeft: Int)
        case closed
    }

    /// What of a request decides how its answer is sent.
    private struct Asked {
        var isHead = false
        var isHTTP11 = true
        var keepsAlive = false
        var route: HTTPRouter.Route?
        var began = Duration.zero
        /// Bytes of a body that is not wanted but short enough to be read over.
        var bodyBytesToDiscard = 0
    }

    private enum Wait {
        case header
        case body
        case idle
        /// For the client to read.
        case reader
        case lingering
    }

    private static let readsInTurnMaximum = 4
    private static let lingeringTime = Duration.seconds(5)
    private static let lingeringBytesMaximum = 64 << 20
    /// A body up to here is copied behind its head, so that both go out in one packet.
    private static let joinedBodyMaximum = 16 << 10

    let id: UInt64
    private let descriptor: Int32
    private let address: IPAddress?
    private unowned let loop: EventLoop
    private let core: ServerCore
    private var phase = Phase.head
    private var asked = Asked()
    private var scanner: HeadScanner
    /// What was read and not handled yet, from `inputStart` on.
    private var input: [UInt8] = []
    private var inputStart = 0
    private var outgoing = Outgoing()
    private var deadline: (at: Duration, wait: Wait)?
    private var canRead = false
    private var hasPeerFinished = false
    private var closesAfterAnswer = false
    /// Closing a socket that still receives makes the kernel reset the connection, and the client may lose the answer
    /// that refuses its body. So our side is closed, and the socket is read until the client has closed its own.
    private var lingers = false

    init(id: UInt64, descriptor: Int32, loop: EventLoop) {
        self.id = id
        self.descriptor = descriptor
        self.loop = loop
        core = loop.core
        address = SocketAddress.peer(of: descriptor)
        scanner = HeadScanner(bytesMaximum: core.configuration.headerBytesMaximum)
        deadline = (loop.now + core.configuration.headerDeadline, .header)
    }

    deinit {
        Glibc.close(descriptor)
    }

    /// Whether it could be closed without cutting anything off, and since when.
    var idleSince: Duration? {
        guard case .head = phase, !scanner.hasBegun, input.isEmpty, let deadline else { return nil }
        return deadline.at
    }

    var isClosed: Bool {
        if case .closed = phase { true } else { false }
    }

    var isLingering: Bool {
        if case .lingering = phase { true } else { false }
    }

    /// Whether a request is under way whose answer is not sent.
    var isBusy: Bool {
        switch phase {
        case .body, .handling, .answering, .streaming: true
        case .head, .discarding, .lingering, .closed: false
        }
    }

    func handle(_ event: Poller.Event) {
        if event.isReadable { canRead = true }
        if event.isFinished {
            hasPeerFinished = true
            canRead = true
            // It may still read one answer, but a client that closed its side is not known to read a stream.
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
        while !isClosed {
            guard sendOutgoing() else { return }
            switch phase {
            case .closed, .handling: return
            case .answering: finishAnswer()
            case .streaming(let stream):
                guard send(stream) else { return }
            case .head, .body, .discarding, .lingering:
                if consumeInput() { continue }
                guard canRead else { return }
                guard reads < Connection.readsInTurnMaximum else { return loop.runAgain(self) }
                reads += 1
                receive()
            }
        }
    }

    /// The handler's answer; it goes nowhere when the client has left.
    func handlerAnswered(_ response: HTTPResponse) {
        guard case .handling = phase else {
            response.stream?.leave()
            return
        }
        answer(response)
        advance()
    }

    /// The server stops: a connection without a request is closed, others end with their answer.
    func drain() {
        if case .head = phase { close() }
    }

    func expire() {
        guard let deadline, deadline.at <= loop.now else { return }
        switch deadline.wait {
        // A client that has sent nothing at all has no use for an answer.
        case .header where scanner.hasBegun || !input.isEmpty: refuse(.headerLate)
        case .body: refuse(.bodyLate)
        case .header:
            core.instruments.countRefusal(.headerLate)
            return close()
        case .idle, .reader, .lingering: return close()
        }
        advance()
    }

    func close() {
        if case .closed = phase { return }
        if case .streaming(let stream) = phase { stream.leave() }
        let wasLingering = isLingering
        phase = .closed
        deadline = nil
        input = []
        outgoing = Outgoing()
        loop.closed(self, wasLingering: wasLingering)
    }
}

/// Reading.
extension Connection {
    private func receive() {
        let count = recv(descriptor, loop.buffer.baseAddress, loop.buffer.count, 0)
        guard count > 0 else {
            if count < 0 && errno == EINTR { return }
            canRead = false
            // The end of the client's side, or an error: nothing more will come.
            if count == 0 || errno != EAGAIN { close() }
            return
        }
        // A short read has emptied the socket, but the end behind it shows only in the next one.
        canRead = count == loop.buffer.count || hasPeerFinished
        let bytes = UnsafeRawBufferPointer(rebasing: loop.buffer[..<count])
        guard input.isEmpty else {
            input.append(contentsOf: bytes)
            return
        }
        let used = consume(bytes)
        guard !isClosed, used < count else { return }
        input.append(contentsOf: bytes[used...])
    }

    /// Handles what was kept from earlier reads. False when more bytes are needed.
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

    /// Returns how many of the bytes were used; zero when more are needed.
    private func consume(_ bytes: UnsafeRawBufferPointer) -> Int {
        switch phase {
        case .head: return consumeHead(bytes)
        case .body(let exchange):
            switch exchange.take(bytes) {
            case .incomplete: return bytes.count
            case .complete(let count):
                run(exchange)
                return count
            case .refused(let refusal):
                refuse(refusal)
                return bytes.count
            }
        case .discarding(let left):
            let count = min(left, bytes.count)
            if count == left { requestEnded() } else { phase = .discarding(bytesLeft: left - count) }
            return count
        case .lingering(let left):
            if bytes.count < left { phase = .lingering(bytesLeft: left - bytes.count) } else { close() }
            return bytes.count
        case .handling, .answering, .streaming, .closed: return 0
        }
    }

    private func consumeHead(_ bytes: UnsafeRawBufferPointer) -> Int {
        let hadBegun = scanner.hasBegun
        switch scanner.scan(bytes) {
        case .incomplete:
            // The first request has had its deadline since the connection was opened.
            if !hadBegun, deadline?.wait == .idle {
                deadline = (loop.now + core.configuration.headerDeadline, .header)
            }
            return 0
        case .refused(let refusal):
            asked = Asked(began: loop.now)
            refuse(refusal)
            return bytes.count
        case .complete(let count):
            let head = UnsafeRawBufferPointer(rebasing: bytes[scanner.emptyLineBytes..<count])
            scanner = HeadScanner(bytesMaximum: core.configuration.headerBytesMaximum)
            asked = Asked(began: loop.now)
            switch RequestHead.parse(head) {
            case .success(let head): begin(head)
            case .failure(let refusal): refuse(refusal)
            }
            return count
        }
    }
}

/// What becomes of a request.
extension Connection {
    private func begin(_ head: RequestHead) {
        asked.isHead = head.method == .head
        asked.isHTTP11 = head.isHTTP11
        asked.keepsAlive = head.keepsAlive
        guard let segments = head.target.segments else { return answerEarly(HTTPResponse(.noContent), head) }
        switch core.router.match(head.method, segments) {
        case .notFound: answerEarly(Problem(.notFound, detail: "Nothing is at this path.").response(), head)
        case .methodNotAllowed(let allow):
            let headers = [HTTPField("Allow", allow)]
            let problem = Problem(.methodNotAllowed, detail: "This path takes \(allow).")
            let isOptions = head.method == .options
            answerEarly(
                isOptions ? HTTPResponse(.noContent, headers: headers) : problem.response(headers: headers), head)
        case .route(let route, let parameters):
            asked.route = route
            let address = ClientAddress(core.configuration.proxies.client(peer: address, head.headers))
            let request = HTTPRequest(
                method: head.method, path: head.target.path, query: head.target.query, headers: head.headers,
                peer: address.text, parameters: parameters)
            admit(request, to: route, head, payer: address.payer)
        }
    }

    private func admit(_ request: HTTPRequest, to route: HTTPRouter.Route, _ head: RequestHead, payer: String) {
        switch route.answering {
        case .immediately(let respond): answerEarly(respond(request), head)
        case .admitted(let decide):
            switch decide(request) {
            case .refused(let response): answerEarly(response, head)
            case .admitted(let account, let bodyBytesMaximum, let handler):
                let maximum = bodyBytesMaximum ?? route.bodyBytesMaximum ?? core.configuration.bodyBytesMaximum
                let payers = BodyBudget.Payers(peer: payer, account: account)
                let intake = BodyIntake(
                    framing: head.framing, bytesMaximum: maximum, budget: core.budget, payers: payers)
                if case .length(let count) = head.framing {
                    guard count <= maximum else { return refuse(.bodyTooLarge(bytesMaximum: maximum)) }
                    guard core.budget.hasRoom(for: count, of: payers) else { return refuse(.bodiesTooLarge) }
                }
                receiveBody(Exchange(request, handler: handler, framing: head.framing, intake: intake), head)
            }
        }
    }

    private func receiveBody(_ exchange: Exchange, _ head: RequestHead) {
        guard head.framing != .none else { return run(exchange) }
        if head.expectsContinue { outgoing.append(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
        phase = .body(exchange)
        deadline = (loop.now + core.configuration.bodyDeadline, .body)
    }

    private func run(_ exchange: Exchange) {
        phase = .handling
        deadline = nil
        let (request, handler) = exchange.finish()
        Task { [id, mailbox = loop.mailbox] in
            let response = await handler(request)
            if !mailbox.post(.answer(connection: id, response)) { response.stream?.leave() }
        }
    }

    /// Answers before the body is read. The connection stays when the body is short enough to be read over.
    private func answerEarly(_ response: HTTPResponse, _ head: RequestHead) {
        switch head.framing {
        case .none: answer(response)
        case .length(let count) where count <= core.configuration.bodyBytesMaximum && !head.expectsContinue:
            asked.bodyBytesToDiscard = count
            answer(response)
        case .length, .chunked: answerAndClose(response)
        }
    }

    /// The server's own answer to what it does not take. The rest of the request is not read, so the connection ends.
    private func refuse(_ refusal: Refusal) {
        core.instruments.countRefusal(refusal.reason)
        var response = asked.route?.renderProblem(refusal.problem) ?? refusal.problem.response()
        response.headers += refusal.headers
        answerAndClose(response)
    }

    private func answerAndClose(_ response: HTTPResponse) {
        lingers = true
        asked.keepsAlive = false
        answer(response)
    }
}

/// Sending.
extension Connection {
    private func answer(_ response: HTTPResponse) {
        core.instruments.countAnswer(response.status, route: asked.route?.name, duration: loop.now - asked.began)
        closesAfterAnswer = response.closesConnection || !asked.keepsAlive || loop.isDraining
        deadline = nil
        switch response.body {
        case .bytes(let body): send(response, body)
        case .stream(let stream): begin(stream, of: response)
        }
    }

    private func send(_ response: HTTPResponse, _ body: [UInt8]) {
        let hasNoBody = response.status == .noContent || response.status.code == 304
        var bytes = head(of: response, hasNoBody ? .none : .length(body.count))
        let sent = hasNoBody || asked.isHead ? [] : body
        phase = .answering
        if sent.count <= Connection.joinedBodyMaximum {
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
        stream.attach { [id, mailbox = loop.mailbox] in mailbox.post(.streamReady(connection: id)) }
    }

    private func head(of response: HTTPResponse, _ framing: AnswerHead.Framing) -> [UInt8] {
        AnswerHead(
            status: response.status, fields: response.headers, framing: framing, closes: closesAfterAnswer,
            tellsKeepAlive: !asked.isHTTP11
        ).bytes(date: loop.httpDate, log: core.log)
    }

    /// False when the client has to read first, or has left.
    private func sendOutgoing() -> Bool {
        guard !outgoing.isEmpty else { return true }
        switch outgoing.write(to: descriptor) {
        case .done:
            if deadline?.wait == .reader { deadline = nil }
            return true
        case .blocked:
            // Anew each time the client has read something.
            deadline = (loop.now + core.configuration.idleTimeout, .reader)
            return false
        case .broken:
            close()
            return false
        }
    }

    /// False when the stream has nothing to send now, or was cut off.
    private func send(_ stream: HTTPStream) -> Bool {
        let isChunked = asked.isHTTP11
        switch stream.read(into: UnsafeMutableRawBufferPointer(rebasing: loop.buffer[..<Connection.joinedBodyMaximum]))
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
            // No last chunk: the client can tell that the body is not whole.
            close()
            return false
        }
    }

    private func finishAnswer() {
        guard !closesAfterAnswer && !loop.isDraining else {
            guard lingers || !input.isEmpty, loop.mayLinger(self) else { return close() }
            shutdown(descriptor, Int32(SHUT_WR))
            input = []
            inputStart = 0
            phase = .lingering(bytesLeft: Connection.lingeringBytesMaximum)
            deadline = (loop.now + Connection.lingeringTime, .lingering)
            return
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
