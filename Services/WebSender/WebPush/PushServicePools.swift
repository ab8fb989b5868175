import Bus
import HTTP2
import ServiceKit
import Synchronization

/// Connections to the large push services: a pool for each host, opened on its first use and closed when it was not
/// used for a while. One thread serves them all.
final class PushServicePools: Sendable {
    private struct Entry {
        let pool: HTTP2Pool
        var users = 0
        var lastUse: Duration
    }

    private struct State {
        var entries: [PushOrigin: Entry] = [:]
        /// Services without HTTP/2, and until when that is believed.
        var withoutHTTP2: [PushOrigin: Duration] = [:]
        var isSwept = false
        var isClosed = false
    }

    private static let idleMaximum = Duration.seconds(600)
    private static let sweepInterval = Duration.seconds(60)
    private static let beliefMaximum = Duration.seconds(3_600)

    private let configuration: HTTP2Configuration
    private let poolsMaximum: Int
    private let reactor: HTTP2Reactor
    private let environment: WorkerEnvironment
    private let state = Mutex(State())

    init(_ configuration: HTTP2Configuration, poolsMaximum: Int, environment: WorkerEnvironment) {
        self.configuration = configuration
        self.poolsMaximum = poolsMaximum
        self.environment = environment
        reactor = HTTP2Reactor(name: "webpush", time: environment.time)
    }

    /// Sends each once. Nil if the service has no HTTP/2, or if there are too many pools: then nothing was sent.
    func send(_ requests: [HTTP2Request], to origin: PushOrigin) async -> [HTTP2Outcome]? {
        guard let pool = take(origin) else { return nil }
        let outcomes = await pool.send(requests)
        release(origin, isWithoutHTTP2: outcomes.contains(where: \.isNotOffered))
        return outcomes
    }

    func close() async {
        let entries = state.withLock { state in
            state.isClosed = true
            defer { state.entries = [:] }
            return state.entries.values
        }
        for entry in entries { await entry.pool.close() }
        reactor.stop()
    }

    var count: Int { state.withLock { $0.entries.count } }

    private func take(_ origin: PushOrigin) -> HTTP2Pool? {
        let now = environment.time.uptime
        let (pool, needsSweeps) = state.withLock { state -> (HTTP2Pool?, Bool) in
            guard !state.isClosed else { return (nil, false) }
            if let end = state.withoutHTTP2[origin] {
                guard now >= end else { return (nil, false) }
                state.withoutHTTP2[origin] = nil
            }
            if state.entries[origin] == nil {
                guard state.entries.count < poolsMaximum else { return (nil, false) }
                state.entries[origin] = Entry(pool: makePool(origin), lastUse: now)
            }
            state.entries[origin]?.users += 1
            defer { state.isSwept = true }
            return (state.entries[origin]?.pool, !state.isSwept)
        }
        if needsSweeps { sweepRegularly() }
        return pool
    }

    private func makePool(_ origin: PushOrigin) -> HTTP2Pool {
        HTTP2Pool(
            HTTP2Endpoint(host: origin.host, port: origin.port), configuration: configuration, log: environment.log,
            metrics: environment.metrics, reactor: reactor, time: environment.time, random: environment.random)
    }

    private func release(_ origin: PushOrigin, isWithoutHTTP2: Bool) {
        let now = environment.time.uptime
        state.withLock { state in
            state.entries[origin]?.users -= 1
            state.entries[origin]?.lastUse = now
            guard isWithoutHTTP2 else { return }
            if state.withoutHTTP2.count >= poolsMaximum { state.withoutHTTP2 = [:] }
            state.withoutHTTP2[origin] = now + PushServicePools.beliefMaximum
        }
    }

    /// Runs while there are pools.
    private func sweepRegularly() {
        Task { [self] in
            repeat { try? await environment.time.sleep(for: PushServicePools.sweepInterval) } while await sweep()
        }
    }

    private func sweep() async -> Bool {
        let now = environment.time.uptime
        let (unused, isSwept) = state.withLock { state in
            let unused = state.entries.filter { origin, entry in
                let isUseless = state.withoutHTTP2[origin] != nil
                return entry.users == 0 && (isUseless || now - entry.lastUse >= PushServicePools.idleMaximum)
            }
            for origin in unused.keys { state.entries[origin] = nil }
            state.isSwept = !state.entries.isEmpty && !state.isClosed
            return (unused.values, state.isSwept)
        }
        for entry in unused { await entry.pool.close() }
        return isSwept
    }
}

extension HTTP2Outcome {
    /// True if the service does not offer HTTP/2; the request was not sent.
    var isNotOffered: Bool {
        guard case .notSent(let error) = self else { return false }
        return error.code == .notOffered
    }
}
