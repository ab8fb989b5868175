import Glibc
import ServiceKit
import Synchronization
import TLSSocket

/// One thread of a server with the connections it has accepted: it waits for their sockets and for messages of other
/// threads, and serves the connections in turns.
final class EventLoop {
    private static let listenerID: UInt64 = 0
    private static let mailboxID: UInt64 = 1
    private static let lingeringMaximum = 256
    /// Number of idle connections closed together to make room for a new one.
    private static let evictedMaximum = 16
    /// Connections accepted per turn, so that a flood of them does not delay the open ones.
    private static let acceptedInTurnMaximum = 64
    /// Few, so that the pool's other threads get their share of a burst.
    private static let handledTogetherMaximum = 8

    let core: ServerCore
    let mailbox: EventLoopMailbox
    /// Read buffer shared by all connections during their turns.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    /// Updated once per turn.
    private(set) var now: Duration
    private(set) var isDraining = false
    private var isAbandoned = false
    private var poller = Poller()
    private var listener: TCPListener?
    private let identity: ServerIdentity?
    private var isListenerWatched = false
    private let connectionsMaximum: Int
    private var connections: [UInt64: any Connection] = [:]
    private var lingeringCount = 0
    private var nextID: UInt64 = 2
    private var toHandle: [@Sendable () async -> Void] = []
    private var toRunAgain: [any Connection] = []
    private var nextExpiry: Duration
    private let expiryInterval: Duration
    private var date = (second: Int64(-1), text: "")

    init(
        _ core: ServerCore, listener: TCPListener, identity: ServerIdentity?, mailbox: EventLoopMailbox,
        connectionsMaximum: Int
    ) {
        self.core = core
        self.listener = listener
        self.identity = identity
        self.mailbox = mailbox
        self.connectionsMaximum = connectionsMaximum
        let shortest = min(core.configuration.headerDeadline, core.configuration.bodyDeadline)
        expiryInterval = min(max(shortest / 8, .milliseconds(10)), .milliseconds(500))
        now = core.time.uptime
        nextExpiry = now + expiryInterval
    }

    deinit {
        buffer.deallocate()
    }

    /// Runs until the server has stopped. Returns the number of aborted requests.
    func run() -> Int {
        precondition(poller.watchReadable(mailbox.descriptor, id: EventLoop.mailboxID), "epoll refuses a socket")
        watchListener()
        while !(isDraining && connections.count == lingeringCount) && !isAbandoned {
            startHandlers()
            let wait = waitMilliseconds
            for event in poller.wait(milliseconds: wait != 0 && mailbox.mayWait() ? wait : 0) { handle(event) }
            now = core.time.uptime
            mailbox.takeAll().forEach(handle)
            let again = toRunAgain
            toRunAgain = []
            for connection in again { connection.advance() }
            if now >= nextExpiry { expire() }
        }
        let cutOff = connections.values.count { $0.isBusy }
        for connection in Array(connections.values) { connection.close() }
        for message in mailbox.close() { discard(message) }
        return cutOff
    }

    /// Schedules another turn for a connection with more work than fits into one.
    func runAgain(_ connection: any Connection) {
        toRunAgain.append(connection)
    }

    /// Runs the handler of a complete request, at the latest at the end of this turn.
    func run(_ exchange: Exchange, for connection: UInt64, stream: Int32 = 0) {
        let (request, handler) = exchange.finish()
        // Taken out by the handler, so that the body's memory is free before the client can send its next request.
        let received = Mutex<HTTPRequest?>(request)
        toHandle.append { [mailbox] in
            guard let request = received.withLock({ $0.take() }) else { return }
            let response = await handler(consume request)
            let isPosted = mailbox.post(.answer(connection: connection, stream: stream, response))
            if !isPosted { response.stream?.leave() }
        }
        if toHandle.count == EventLoop.handledTogetherMaximum { startHandlers() }
    }

    /// Wakes one thread of Swift's pool for several requests that arrived together: waking one per request would cost
    /// more than most handlers do. It starts each handler in turn; one that suspends does not delay the others.
    private func startHandlers() {
        guard !toHandle.isEmpty else { return }
        let handlers = toHandle
        toHandle.removeAll(keepingCapacity: true)
        guard handlers.count > 1 else {
            Task(operation: handlers[0])
            return
        }
        Task {
            for handle in handlers { Task.immediate(operation: handle) }
        }
    }

    func replace(_ connection: any Connection, by next: any Connection) {
        connections[connection.id] = next
    }

    /// The connection has sent its last response, which the client may not have read yet. While its socket lingers it
    /// does not count as a connection.
    func linger(_ connection: any Connection, socket: TLSSocket) {
        guard lingeringCount < EventLoop.lingeringMaximum else { return closed(connection) }
        lingeringCount += 1
        core.instruments.connectionsOpen.add(-1)
        watchListener()
        let lingering = LingeringConnection(id: connection.id, socket: socket, loop: self)
        replace(connection, by: lingering)
        lingering.advance()
    }

    func closed(_ connection: any Connection) {
        connections[connection.id] = nil
        if connection.isLingering { lingeringCount -= 1 } else { core.instruments.connectionsOpen.add(-1) }
        watchListener()
    }

    /// A connection has become idle and may make room for a waiting client.
    func becameIdle() {
        watchListener()
    }

    /// The Date field of responses.
    var httpDate: String {
        let time = core.time.now
        let second = time.milliseconds / 1_000
        if second != date.second { date = (second, time.httpDate) }
        return date.text
    }

    private var waitMilliseconds: Int32 {
        guard toRunAgain.isEmpty else { return 0 }
        guard !connections.isEmpty || !isListenerWatched && listener != nil else { return -1 }
        return Int32(clamping: max(0, (nextExpiry - now).wholeMilliseconds + 1))
    }

    private func handle(_ event: Poller.Event) {
        now = core.time.uptime
        switch event.id {
        case EventLoop.listenerID: accept()
        case EventLoop.mailboxID: mailbox.wasWoken()
        default: connections[event.id]?.handle(event)
        }
    }

    private func handle(_ message: EventLoopMailbox.Message) {
        switch message {
        case .answer(let id, let stream, let response):
            guard let connection = connections[id] else { return discard(message) }
            connection.handlerAnswered(response, stream: stream)
        case .bodyReady(let id, let stream): connections[id]?.bodyReady(stream: stream)
        case .drain: drain()
        case .abandon: isAbandoned = true
        }
    }

    private func discard(_ message: EventLoopMailbox.Message) {
        if case .answer(_, _, let response) = message { response.stream?.leave() }
    }

    private func drain() {
        isDraining = true
        if let listener, isListenerWatched { poller.forget(listener.descriptor) }
        isListenerWatched = false
        // The port closes once every loop has released the listener.
        listener = nil
        for connection in Array(connections.values) { connection.drain() }
    }

    private func accept() {
        // Evict only for a client that is known to wait.
        guard hasRoom || evictIdle() else { return ignoreListener() }
        for _ in 0..<EventLoop.acceptedInTurnMaximum where hasRoom {
            guard let listener else { return }
            let socket: TLSSocket?
            do throws(TLSSocketError) {
                socket = try listener.accept(tls: identity?.context)
            } catch {
                core.log.warning("connection not accepted", [.error: error.message])
                continue
            }
            guard let socket else {
                // Until the next expiry: a connection may end before that.
                if errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS {
                    core.log.warning("cannot accept connections", [.error: String(cString: strerror(errno))])
                    ignoreListener()
                }
                return
            }
            let connection = connection(on: socket)
            nextID += 1
            connections[connection.id] = connection
            core.instruments.connectionsOpen.add(1)
            if !poller.watch(socket.descriptor, id: connection.id) { connection.close() }
        }
    }

    private func connection(on socket: TLSSocket) -> any Connection {
        guard socket.isSecure else {
            return HTTP1Connection(
                id: nextID, socket: socket, loop: self, headerDeadline: now + core.configuration.headerDeadline)
        }
        return TLSGreeting(id: nextID, socket: socket, loop: self)
    }

    private var hasRoom: Bool { connections.count - lingeringCount < connectionsMaximum }

    /// An active client takes precedence over one that keeps an idle connection.
    private func evictIdle() -> Bool {
        let idle = connections.values.compactMap { connection in
            connection.idleSince.map { (since: $0, connection: connection) }
        }
        let count = max(1, min(EventLoop.evictedMaximum, connectionsMaximum / 16))
        for entry in idle.sorted(by: { $0.since < $1.since }).prefix(count) { entry.connection.close() }
        return !idle.isEmpty
    }

    private func ignoreListener() {
        guard let listener, isListenerWatched else { return }
        poller.forget(listener.descriptor)
        isListenerWatched = false
    }

    private func watchListener() {
        guard let listener, !isListenerWatched else { return }
        isListenerWatched = poller.watchReadable(
            listener.descriptor, id: EventLoop.listenerID, isShared: core.configuration.threads > 1)
    }

    private func expire() {
        nextExpiry = now + expiryInterval
        for connection in Array(connections.values) { connection.expire() }
        identity?.reloadIfChanged(now: now)
        watchListener()
    }
}
