import ServiceKit
import TLSSocket

/// The thread's side of a pool: distributes requests over connections, opens connections on demand, and gives every
/// request its outcome. Confined to the reactor's thread.
final class PoolDriver: ReactorMember {
    /// A slot for one connection; there are as many as the pool may have connections.
    private final class Place {
        var machine: ConnectionMachine
        var connection: ClientConnection?
        var isLookingUp = false

        init(_ machine: ConnectionMachine) {
            self.machine = machine
        }
    }

    private let context: PoolContext
    private let intake: PoolIntake
    private let hasEnded: OneTimeEvent
    private let places: [Place]
    /// They get no more requests and close once their open ones are answered.
    private var leaving: [ClientConnection] = []
    private var queue = RequestQueue()
    private var outcomes: [(request: PendingRequest, outcome: HTTP2Outcome)] = []
    /// No open stream is overdue before it.
    private var earliestDeadline: Duration?
    private var lastObstacle: HTTP2Error?
    private var connectionsOpened = 0

    init(_ context: PoolContext, intake: PoolIntake, hasEnded: OneTimeEvent) {
        self.context = context
        self.intake = intake
        self.hasEnded = hasEnded
        let configuration = context.configuration
        places = (0..<max(1, configuration.connections)).map { _ in
            Place(ConnectionMachine(configuration, random: context.random))
        }
    }

    func turn(_ loop: ReactorLoop, now: Duration) {
        let order = intake.take()
        queue.append(order.arrivals)
        for lookup in order.lookups { found(lookup, now: now) }
        if order.renewsConnections {
            for place in places where place.machine.state == .ready { handle(.retired, place: place, now: now) }
        }
        read(loop, now: now)
        checkTimes(now: now)
        if order.isAborted { giveUp(now: now) } else { dispatch(now: now) }
        write(now: now)
        settle(now: now)
        if order.isClosing && isIdle { end(loop, now: now) }
    }

    func prepareToWait(_ set: inout PollSet, now: Duration) -> Duration? {
        var dues = places.map(\.machine.timeout) + [queue.earliestDeadline, earliestDeadline]
        for connection in allConnections { dues.append(connection.prepareToWait(&set, now: now)) }
        let isBehind = !queue.isEmpty && roomiest() != nil
        // This check comes last: a later change wakes the thread.
        guard intake.mayWait(), !isBehind else { return now }
        return dues.compactMap { $0 }.min()
    }

    private var allConnections: [ClientConnection] {
        places.compactMap(\.connection) + leaving
    }

    private var isIdle: Bool {
        queue.isEmpty && allConnections.allSatisfy { $0.session.open.isEmpty }
    }
}

// MARK: One turn

extension PoolDriver {
    private func read(_ loop: ReactorLoop, now: Duration) {
        forEachConnection(now: now) { connection throws(HTTP2Error) in try connection.read(loop, now: now) }
    }

    private func write(now: Duration) {
        forEachConnection(now: now) { connection throws(HTTP2Error) in try connection.write(now: now) }
        leaving.removeAll { connection in
            guard connection.session.open.isEmpty else { return false }
            connection.sayGoodbye()
            return true
        }
    }

    private func forEachConnection(now: Duration, _ step: (ClientConnection) throws(HTTP2Error) -> Void) {
        for place in places {
            guard let connection = place.connection else { continue }
            do throws(HTTP2Error) {
                try step(connection)
                collect(connection, place: place, now: now)
            } catch {
                collect(connection, place: place, now: now)
                // A peer may close an unused connection.
                let isHarmless = error.code == .broken && connection.session.open.isEmpty
                handle(isHarmless && place.machine.state == .ready ? .retired : .failed(error), place: place, now: now)
            }
        }
        leaving.removeAll { connection in
            do throws(HTTP2Error) {
                try step(connection)
                collect(connection)
                return false
            } catch {
                breakUp(connection, error: error)
                return true
            }
        }
    }

    /// Takes a connection's events, then informs its machine.
    private func collect(_ connection: ClientConnection, place: Place, now: Duration) {
        if place.machine.state == .opening && connection.session.isGreeted {
            connection.lastAnswer = now
            handle(.greeted, place: place, now: now)
        }
        if collect(connection) {
            connection.lastAnswer = now
            handle(.answered, place: place, now: now)
        }
        if connection.session.goodbye != nil { handle(.retired, place: place, now: now) }
    }

    /// True if there was a response among them.
    @discardableResult
    private func collect(_ connection: ClientConnection) -> Bool {
        let before = outcomes.count
        let unprocessed = connection.session.takeEvents(into: &outcomes)
        let hasSettled = outcomes.count > before
        for request in unprocessed { retry(request, refusedBy: connection.session.goodbye) }
        return hasSettled
    }

    /// The request was not processed, so any connection may take it; limited, as a peer may refuse it each time.
    private func retry(_ request: PendingRequest, refusedBy goodbye: HTTP2Error?) {
        if request.departure != nil {
            request.resends += 1
            context.instruments.resent.increment()
        }
        guard request.resends <= context.configuration.resendsMaximum else {
            let error = goodbye ?? HTTP2Error(.refused, message: "the peer refuses streams")
            outcomes.append((request, .notSent(error)))
            return
        }
        request.rewind()
        queue.putBack(request)
    }

    private func checkTimes(now: Duration) {
        for place in places {
            if let timeout = place.machine.timeout, timeout <= now { handle(.timedOut, place: place, now: now) }
        }
        for request in queue.takeOverdue(now: now) {
            let reason = lastObstacle.map { ": \($0.message)" } ?? ""
            outcomes.append(
                (request, .notSent(HTTP2Error(.deadline, message: "not sent before the deadline\(reason)"))))
        }
        guard let earliest = earliestDeadline, earliest <= now else { return }
        earliestDeadline = nil
        for place in places {
            guard let connection = place.connection, abandonOverdue(connection, now: now) else { continue }
            context.log.warning("connection unresponsive; replacing it", [.address: "\(context.endpoint)"])
            handle(.retired, place: place, now: now)
        }
        for connection in leaving { _ = abandonOverdue(connection, now: now) }
    }

    /// True if the connection is mute: it took a request and answered none during that request's whole time. It may
    /// still answer PINGs if a server behind the peer has failed, so only this shows it.
    private func abandonOverdue(_ connection: ClientConnection, now: Duration) -> Bool {
        var isMute = false
        for request in connection.session.open.all {
            guard request.deadline <= now else {
                noteDeadline(request)
                continue
            }
            let outcome = connection.abandon(
                request, error: HTTP2Error(.deadline, message: "no response before the deadline"))
            outcomes.append((request, outcome))
            if request.accepted >= connection.lastAnswer { isMute = true }
        }
        return isMute
    }

    private func noteDeadline(_ request: PendingRequest) {
        earliestDeadline = min(earliestDeadline ?? request.deadline, request.deadline)
    }

    private func dispatch(now: Duration) {
        while !queue.isEmpty, let connection = roomiest() {
            // Several per step, since finding the connection with the most room costs as much as passing it a request.
            let share = max(1, min(connection.room, queue.count / places.count))
            for _ in 0..<share {
                guard let request = queue.next() else { break }
                guard dispatch(request, to: connection, now: now) else {
                    queue.putBack(request)
                    break
                }
                noteDeadline(request)
            }
        }
        if !queue.isEmpty { openAnother(now: now) }
    }

    /// False if it has to wait for a connection that it may use.
    private func dispatch(_ request: PendingRequest, to connection: ClientConnection, now: Duration) -> Bool {
        guard request.request.avoidedConnection == connection.number else { return connection.send(request) }
        if let other = roomiest(except: connection) { return other.send(request) }
        // It is the only open one: the next connection replaces it.
        if let place = places.first(where: { $0.connection === connection }) {
            handle(.retired, place: place, now: now)
        }
        return false
    }

    /// The connection with room and the fewest streams, so that all carry the same load.
    private func roomiest(except avoided: ClientConnection? = nil) -> ClientConnection? {
        var best: ClientConnection?
        for place in places where place.machine.state == .ready {
            guard let connection = place.connection, connection !== avoided, connection.room > 0 else { continue }
            if let known = best, known.session.open.count <= connection.session.open.count { continue }
            best = connection
        }
        return best
    }

    /// One at a time, and none during a backoff: more connections do not help a peer in trouble.
    private func openAnother(now: Duration) {
        let isBusy = places.contains { $0.machine.state == .opening || $0.machine.state == .backingOff }
        guard !isBusy, leaving.count < places.count * 2 else { return }
        if let place = places.first(where: { $0.machine.state == .idle }) { handle(.wanted, place: place, now: now) }
    }

    private func settle(now: Duration) {
        guard !outcomes.isEmpty else { return }
        let settled = outcomes
        outcomes = []
        // Released before callers are resumed, since they may submit again.
        intake.settle(settled.count)
        for (request, outcome) in settled {
            context.instruments.count(outcome, after: now - request.accepted)
            request.complete(outcome)
        }
    }

    private func giveUp(now: Duration) {
        let error = HTTP2Error(.closed, message: "the pool was closed")
        outcomes += queue.takeAll().map { ($0, .notSent(error)) }
        for place in places { handle(.closed, place: place, now: now) }
        for connection in leaving { breakUp(connection, error: error) }
        leaving = []
        outcomes += queue.takeAll().map { ($0, .notSent(error)) }
    }

    private func end(_ loop: ReactorLoop, now: Duration) {
        for place in places {
            place.connection?.sayGoodbye()
            handle(.closed, place: place, now: now)
        }
        loop.remove(self)
        hasEnded.happen()
    }
}

// MARK: Connections

extension PoolDriver {
    private func handle(_ event: ConnectionMachine.Event, place: Place, now: Duration) {
        let wasReady = place.machine.state == .ready
        let action = place.machine.handle(event, now: now)
        if wasReady != (place.machine.state == .ready) { context.instruments.connections.add(wasReady ? -1 : 1) }
        switch action {
        case .none: break
        case .open: open(place)
        case .serve: serve()
        case .retire: retire(place)
        case .drop(let error): drop(place, error: error)
        }
    }

    private func open(_ place: Place) {
        // A lookup that outlasted its attempt serves the next one, and at most one thread waits.
        guard !place.isLookingUp, let index = places.firstIndex(where: { $0 === place }) else { return }
        place.isLookingUp = true
        var tls = context.configuration.tls
        tls.applicationProtocols = ["h2"] + tls.applicationProtocols.filter { $0 != "h2" }
        tls.readsAhead = true
        HostLookup.start(
            for: index, endpoint: context.endpoint, tls: tls, permits: context.configuration.permitsAddress
        ) { [intake] in
            intake.deliver($0)
        }
    }

    private func found(_ lookup: HostLookup, now: Duration) {
        let place = places[lookup.place]
        place.isLookingUp = false
        guard place.machine.state == .opening else { return }
        do throws(HTTP2Error) {
            let finding = try lookup.finding.get().rotated(by: place.machine.failures)
            connectionsOpened += 1
            place.connection = try ClientConnection(context, finding: finding, number: connectionsOpened, now: now)
        } catch {
            handle(.failed(error), place: place, now: now)
        }
    }

    private func serve() {
        if lastObstacle != nil { context.log.info("peer reachable again", [.address: "\(context.endpoint)"]) }
        lastObstacle = nil
        intake.report(nil)
    }

    private func retire(_ place: Place) {
        guard let connection = place.connection else { return }
        place.connection = nil
        leaving.append(connection)
    }

    private func drop(_ place: Place, error: HTTP2Error) {
        if let connection = place.connection { breakUp(connection, error: error) }
        place.connection = nil
        // Closing is not reported as a failure.
        guard error.code != .closed else { return }
        if lastObstacle != error {
            context.log.warning("connection failed", [.address: "\(context.endpoint)", .error: error.message])
        }
        lastObstacle = error
        let isUp = places.contains { $0.machine.state == .ready }
        intake.report(isUp ? nil : error)
        if error.isFinal && !isUp { outcomes += queue.takeAll().map { ($0, .notSent(error)) } }
    }

    private func breakUp(_ connection: ClientConnection, error: HTTP2Error) {
        if error.code != .closed && !connection.session.open.isEmpty { context.instruments.connectionsLost.increment() }
        connection.breakUp(error)
        collect(connection)
    }
}
