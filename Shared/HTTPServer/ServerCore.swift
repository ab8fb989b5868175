import ServiceKit
import Synchronization

/// What every connection and request of one server shares.
final class ServerCore: Sendable {
    let configuration: HTTPServerConfiguration
    let router: HTTPRouter
    let log: Log
    let time: any TimeSource
    let instruments: HTTPServerInstruments
    let budget: BodyBudget
    let table = ConnectionTable()
    let watch: ConnectionWatch
    private let requestsInFlight = Monitor(0)
    private let draining = Atomic<Bool>(false)
    private let abandoning = Atomic<Bool>(false)

    init(
        name: String, configuration: HTTPServerConfiguration, router: HTTPRouter, log: Log, metrics: Metrics,
        time: any TimeSource
    ) {
        self.configuration = configuration
        self.router = router
        self.log = log
        self.time = time
        instruments = HTTPServerInstruments(server: name, routes: router.routeNames, metrics: metrics)
        budget = BodyBudget(bytesMaximum: configuration.bodiesBytesMaximum, gauge: instruments.bodyBytesBuffered)
        let shortest = min(configuration.headerDeadline, configuration.bodyDeadline)
        let tick = min(max(shortest / 8, .milliseconds(10)), .milliseconds(500))
        watch = ConnectionWatch(table: table, time: time, tick: tick)
    }

    /// The server is stopping: each answer is the last on its connection.
    var isDraining: Bool { draining.load(ordering: .relaxed) }

    /// The server waits no longer: no handler is called any more.
    var isAbandoning: Bool { abandoning.load(ordering: .sequentiallyConsistent) }

    func opened(descriptor: Int32, peer: String) -> Connection {
        let limits = Connection.Limits(
            header: configuration.headerDeadline, body: configuration.bodyDeadline, idle: configuration.idleTimeout)
        let connection = Connection(
            id: table.newID(), descriptor: descriptor, peer: peer, limits: limits, now: time.uptime)
        table.insert(connection)
        watch.start(connection)
        instruments.connectionsOpen.add(1)
        return connection
    }

    /// Just before the library closes the socket.
    func closing(_ connection: Connection) {
        watch.finish(connection)
        table.remove(connection)
        instruments.connectionsOpen.add(-1)
        if let descriptor = connection.close() { watch.linger(descriptor) }
    }

    func requestBegan() {
        requestsInFlight.withLock { $0 += 1 }
    }

    func requestEnded() {
        requestsInFlight.change { $0 -= 1 }
    }

    /// Blocks until no request is in flight, or the deadline is over.
    func drain(within deadline: Duration) {
        draining.store(true, ordering: .relaxed)
        for connection in table.all { connection.closeIfIdle() }
        _ = requestsInFlight.wait(timeout: deadline) { $0 == 0 ? true : nil }
    }

    /// Afterwards no connection is suspended, and none will be.
    func abandonRequests() -> Int {
        abandoning.store(true, ordering: .sequentiallyConsistent)
        let exchanges = table.all.compactMap(\.exchange)
        for exchange in exchanges { exchange.abandon() }
        return exchanges.count
    }
}
