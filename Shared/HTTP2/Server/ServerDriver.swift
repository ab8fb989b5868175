import ServiceKit
import TLSSocket

/// The thread's side of a server: accepts clients, calls the handler, holds delayed responses. Confined to the
/// reactor's thread.
final class ServerDriver: ReactorMember {
    private struct Later {
        /// Weak, so that a connection dropped before the response is due closes immediately.
        weak var connection: ServerConnection?
        let stream: ServerStream
        let answer: HTTP2Answer
    }

    private let configuration: HTTP2ServerConfiguration
    private let listener: TCPListener
    private let tls: TLSContext
    private let controls: ServerControls
    private let handler: @Sendable (HTTP2ServerRequest) -> HTTP2Reaction
    private let log: Log
    private let hasEnded: OneTimeEvent
    private var order = ServerControls.Order()
    private var settings: [NGHTTP2Session.Setting]
    private var connections: [ServerConnection] = []
    private var connectionsTaken = 0
    private var later = TimerHeap<Later>()
    private var listenerPlace: Int?

    init(
        _ configuration: HTTP2ServerConfiguration, listener: TCPListener, tls: TLSContext,
        controls: ServerControls, log: Log, hasEnded: OneTimeEvent,
        handler: @escaping @Sendable (HTTP2ServerRequest) -> HTTP2Reaction
    ) {
        self.configuration = configuration
        self.listener = listener
        self.tls = tls
        self.controls = controls
        self.handler = handler
        self.log = log
        self.hasEnded = hasEnded
        settings = [
            .streamsMaximum(configuration.streamsMaximum), .streamWindow(configuration.streamWindow),
        ]
    }

    func turn(_ loop: ReactorLoop, now: Duration) {
        if let order = controls.take() { obey(order) }
        if order.isClosed { return end(loop) }
        guard !order.isFrozen else { return }
        if loop.set.isReady(listenerPlace) { accept(now: now) }
        forEachConnection { connection throws(HTTP2Error) in
            try connection.read(loop, now: now)
            try answer(connection, now: now)
        }
        while let due = later.popDue(now: now) {
            if let connection = due.connection { respond(connection, stream: due.stream, answer: due.answer) }
        }
        forEachConnection { connection throws(HTTP2Error) in try connection.write() }
    }

    func prepareToWait(_ set: inout PollSet, now: Duration) -> Duration? {
        listenerPlace = nil
        guard !order.isFrozen else {
            connections.forEach { $0.rest() }
            return nil
        }
        if connections.count < configuration.connectionsMaximum {
            listenerPlace = set.add(listener.descriptor, reads: true, writes: false)
        }
        var due = later.earliest
        for connection in connections {
            guard let next = connection.prepareToWait(&set, now: now) else { continue }
            due = min(due ?? next, next)
        }
        return due
    }

    private func obey(_ order: ServerControls.Order) {
        self.order = order
        for command in order.commands {
            switch command {
            case .goodbye: connections.forEach { $0.session.sayGoodbye() }
            case .drop: connections = []
            case .settings(let streamsMaximum, let streamWindow):
                settings = [.streamsMaximum(streamsMaximum), .streamWindow(streamWindow)]
                connections.forEach { $0.session.submit(settings) }
            }
        }
        connections.forEach { $0.session.streamsBeforeGoodbye = order.streamsBeforeGoodbye }
    }

    /// A client whose handshake fails does not affect the others.
    private func accept(now: Duration) {
        while connections.count < configuration.connectionsMaximum {
            do throws(TLSSocketError) {
                guard let socket = try listener.accept(tls: tls) else { return }
                connectionsTaken += 1
                let session = ServerSession(configuration, settings: settings)
                session.streamsBeforeGoodbye = order.streamsBeforeGoodbye
                connections.append(
                    ServerConnection(
                        socket, number: connectionsTaken, session: session, openDeadline: now + configuration.openLimit,
                        requiresALPN: configuration.requiresALPN))
            } catch {
                log.debug("client not accepted", [.error: error.message])
            }
        }
    }

    private func forEachConnection(_ step: (ServerConnection) throws(HTTP2Error) -> Void) {
        connections.removeAll { connection in
            do throws(HTTP2Error) {
                try step(connection)
                return false
            } catch {
                log.debug("connection ended", [.error: error.message])
                return true
            }
        }
    }

    private func answer(_ connection: ServerConnection, now: Duration) throws(HTTP2Error) {
        for stream in connection.session.takeComplete() where !stream.isClosed {
            switch reaction(to: stream, connection) {
            case .answer(let answer):
                if answer.delay > .zero {
                    later.insert(
                        Later(connection: connection, stream: stream, answer: answer), due: now + answer.delay)
                } else {
                    respond(connection, stream: stream, answer: answer)
                }
            case .refuse: connection.session.refuse(stream)
            case .fail: connection.session.fail(stream)
            case .stall: break
            case .drop: throw HTTP2Error(.closed, message: "the handler dropped the connection")
            }
        }
    }

    private func reaction(to stream: ServerStream, _ connection: ServerConnection) -> HTTP2Reaction {
        if stream.isTruncated { return .answer(HTTP2Answer(413)) }
        return handler(
            HTTP2ServerRequest(
                method: stream.method, path: stream.path, headers: stream.headers, body: stream.body,
                connection: connection.number, clientName: connection.clientName))
    }

    private func respond(_ connection: ServerConnection, stream: ServerStream, answer: HTTP2Answer) {
        guard !stream.isClosed else { return }
        connection.session.submit(
            status: String(answer.status), headers: answer.headers, body: answer.body, on: stream)
    }

    private func end(_ loop: ReactorLoop) {
        connections = []
        loop.remove(self)
        hasEnded.happen()
    }
}
