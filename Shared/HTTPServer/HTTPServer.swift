package import ServiceKit
import Synchronization
import TLSSocket

/// An HTTP server: HTTP/1.1, and over TLS also HTTP/2. Handlers run as tasks; the server's threads never wait for them.
///
/// It runs once: it is started, then stopped. It must be stopped before it is released, since its threads hold its
/// parts.
package final class HTTPServer: Sendable {
    private enum State {
        case new
        case running(port: UInt16, [EventLoopMailbox])
        case over
    }

    /// How the threads of the server have ended.
    private struct Ended {
        var threads = 0
        var requestsCutOff = 0
    }

    private let core: ServerCore
    private let name: String
    private let state = Mutex(State.new)
    private let ended = Monitor(Ended())

    /// `name` distinguishes the servers of one process in metrics and logs.
    package init(
        name: String = "http", configuration: HTTPServerConfiguration, router: HTTPRouter, log: Log, metrics: Metrics,
        time: any TimeSource = SystemTimeSource()
    ) {
        self.name = name
        core = ServerCore(
            name: name, configuration: configuration, router: router, log: log, metrics: metrics, time: time)
    }

    /// Listens; requests may arrive before this returns.
    package func start() throws(HTTPServerError) {
        let configuration = core.configuration
        DescriptorLimit.raise(toHold: configuration.connectionsMaximum, log: core.log)
        let port = try state.withLock { state throws(HTTPServerError) in
            guard case .new = state else {
                throw HTTPServerError(.startedTwice, message: "\(name) was already started")
            }
            let identity = try configuration.tls.map { files throws(HTTPServerError) in
                try ServerIdentity(files, of: name, log: core.log)
            }
            let listener = try HTTPServer.listen(configuration)
            let mailboxes = (0..<configuration.threads).map { _ in EventLoopMailbox() }
            state = .running(port: listener.port, mailboxes)
            for mailbox in mailboxes { run(mailbox, listener: listener, identity: identity) }
            return listener.port
        }
        core.log.info("listening", [.server: name, .address: configuration.address, .port: "\(port)"])
    }

    /// The port in use; nil if the server is not running.
    package var port: UInt16? {
        state.withLock { state in
            guard case .running(let port, _) = state else { return nil }
            return port
        }
    }

    /// For `Health.addReadinessCheck`.
    package var readiness: Health.Readiness { port == nil ? .notReady("not listening") : .ready }

    /// Stops accepting, closes idle connections, and lets requests in flight finish until the deadline (by default the
    /// configuration's); then aborts the rest. Streams count as requests in flight: the writer of an endless stream
    /// should finish it first.
    package func stop(within deadline: Duration? = nil) async {
        let mailboxes = state.withLock { state -> [EventLoopMailbox]? in
            defer { state = .over }
            guard case .running(_, let mailboxes) = state else { return nil }
            return mailboxes
        }
        guard let mailboxes else { return }
        let limit = deadline ?? core.configuration.stopDeadline
        await onNativeThread("\(name)-stop") { [self] in stop(mailboxes, within: limit) }
    }

    private func run(_ mailbox: EventLoopMailbox, listener: TCPListener, identity: ServerIdentity?) {
        let threads = core.configuration.threads
        let share = (core.configuration.connectionsMaximum + threads - 1) / threads
        NativeThread(name: name) { [core, ended] in
            let cutOff = EventLoop(
                core, listener: listener, identity: identity, mailbox: mailbox, connectionsMaximum: share
            ).run()
            ended.change { ended in
                ended.threads += 1
                ended.requestsCutOff += cutOff
            }
        }.detach()
    }

    private func stop(_ mailboxes: [EventLoopMailbox], within deadline: Duration) {
        for mailbox in mailboxes { mailbox.post(.drain) }
        let haveEnded = { (limit: Duration) in
            self.ended.wait(timeout: limit) { $0.threads == mailboxes.count ? $0.requestsCutOff : nil }
        }
        guard haveEnded(deadline) == nil else { return }
        for mailbox in mailboxes { mailbox.post(.abandon) }
        let count = haveEnded(.seconds(60)) ?? 0
        if count > 0 { core.log.warning("requests aborted at the stop deadline", [.count: "\(count)"]) }
    }

    private static func listen(_ configuration: HTTPServerConfiguration) throws(HTTPServerError) -> TCPListener {
        do throws(TLSSocketError) {
            return try TCPListener(address: configuration.address, port: configuration.port)
        } catch {
            guard error.code != .misconfigured else { throw HTTPServerError(.addressInvalid, message: error.message) }
            let cure =
                configuration.variablePrefix.map { "; set \($0)_ADDRESS and \($0)_PORT to a free address" } ?? ""
            throw HTTPServerError(.listeningFailed, message: error.message + cure)
        }
    }
}
