package import ServiceKit
import Synchronization

/// An HTTP/1.1 server over libmicrohttpd. Handlers run as tasks; the library's threads never wait for them.
///
/// It runs once: started, then stopped, and must be stopped before it is let go, since its threads hold what it is
/// made of.
package final class HTTPServer: Sendable {
    private enum State {
        case new
        case running(MicroHTTPDaemon)
        case over
    }

    private let core: ServerCore
    private let name: String
    private let state = Mutex(State.new)

    /// `name` tells the servers of one process apart, in metrics and logs.
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
        DescriptorLimit.raise(toHold: core.configuration.connectionsMaximum, log: core.log)
        let port = try state.withLock { state throws(HTTPServerError) in
            guard case .new = state else { throw HTTPServerError(.startedTwice, "\(name) was started before") }
            let daemon = try MicroHTTPDaemon(core: core)
            state = .running(daemon)
            return daemon.port
        }
        NativeThread(name: "\(name)-watch") { [core] in
            core.watch.run { core.instruments.countRefusal($0) }
        }.detach()
        core.log.info("listening", [.server: name, .address: core.configuration.address, .port: "\(port)"])
    }

    /// The port it listens on; nil when it is not running.
    package var port: UInt16? {
        state.withLock { state in
            guard case .running(let daemon) = state else { return nil }
            return daemon.port
        }
    }

    /// Stops accepting, closes idle connections, and lets requests in flight finish until the deadline (the
    /// configuration's unless given); then what is left is cut off. Streams count as requests in flight: whoever writes
    /// one that has no end should finish it first.
    package func stop(within deadline: Duration? = nil) async {
        let daemon = state.withLock { state -> MicroHTTPDaemon? in
            defer { state = .over }
            guard case .running(let daemon) = state else { return nil }
            return daemon
        }
        guard let daemon else { return }
        let limit = deadline ?? core.configuration.stopDeadline
        await withCheckedContinuation { continuation in
            NativeThread(name: "\(name)-stop") { [core] in
                HTTPServer.stop(daemon, core, within: limit)
                continuation.resume()
            }.detach()
        }
    }

    private static func stop(_ daemon: MicroHTTPDaemon, _ core: ServerCore, within deadline: Duration) {
        daemon.quiesce()
        core.drain(within: deadline)
        let count = core.abandonRequests()
        if count > 0 { core.log.warning("requests were cut off by the stop", [.count: "\(count)"]) }
        daemon.stop()
        core.watch.stop()
    }
}
