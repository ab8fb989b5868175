package import ServiceKit
import Synchronization

/// Sends requests to one host over a few HTTP/2 connections. Every accepted request gets exactly one outcome, within its
/// limit; cancelling a task does not take its request back.
///
/// All connections are served by one thread, the reactor's, which several pools may share. A pool that is no longer
/// needed is closed; until then its thread keeps it alive.
package final class HTTP2Pool: Sendable {
    package enum Admission: Equatable, Sendable {
        case accepted
        /// The window has no room for all of them: none was taken.
        case full
        case closed
    }

    private let context: PoolContext
    private let intake: PoolIntake
    private let reactor: HTTP2Reactor
    private let ownsReactor: Bool
    private let hasEnded = OneTimeEvent()

    /// Without a reactor the pool has one of its own.
    package init(
        _ endpoint: HTTP2Endpoint, configuration: HTTP2Configuration = HTTP2Configuration(), log: Log,
        metrics: Metrics, reactor: HTTP2Reactor? = nil, time: any TimeSource = SystemTimeSource(),
        random: any RandomSource = SystemRandomSource()
    ) {
        context = PoolContext(
            endpoint: endpoint, configuration: configuration, log: log,
            instruments: PoolInstruments(metrics, endpoint: endpoint), time: time, random: random)
        ownsReactor = reactor == nil
        self.reactor = reactor ?? HTTP2Reactor(time: time)
        intake = PoolIntake(configuration, reactor: self.reactor)
        self.reactor.run { [context, intake, hasEnded] loop in
            loop.add(PoolDriver(context, intake: intake, hasEnded: hasEnded))
        }
    }

    /// The primitive for those who send hundreds at once. Takes all requests or none; `completion` gets the index of a
    /// request and its outcome, once for each, on the reactor's thread, which it must not hold up.
    package func submit(
        _ requests: [HTTP2Request], completion: @escaping @Sendable (Int, HTTP2Outcome) -> Void
    ) -> Admission {
        switch admit(requests, areAwaited: false, completion: completion) {
        case .accepted: .accepted
        case .full: .full
        case .closed: .closed
        }
    }

    /// Suspends until the outcome is known, and before that for as long as the window is full.
    package func send(_ request: HTTP2Request) async -> HTTP2Outcome {
        await withCheckedContinuation { continuation in
            let admission = admit([request], areAwaited: true) { continuation.resume(returning: $1) }
            if let refusal = refusal(admission) { continuation.resume(returning: .notSent(refusal)) }
        }
    }

    /// The outcomes come in the order of the requests.
    package func send(_ requests: [HTTP2Request]) async -> [HTTP2Outcome] {
        guard !requests.isEmpty else { return [] }
        return await withCheckedContinuation { continuation in
            let collector = OutcomeCollector(requests.count) { continuation.resume(returning: $0) }
            let admission = admit(requests, areAwaited: true) { collector.set($1, at: $0) }
            guard let refusal = refusal(admission) else { return }
            continuation.resume(returning: requests.map { _ in .notSent(refusal) })
        }
    }

    /// How many requests `submit` would take now.
    package var room: Int { intake.room }

    /// Replaces every connection, for one whose credentials the peer no longer takes: what they carry is answered there,
    /// what is sent from now on goes to new ones.
    package func renewConnections() {
        intake.renewConnections()
    }

    /// For `Health.addReadinessCheck`: a pool nobody has used yet is ready.
    package func readiness() -> Health.Readiness {
        intake.obstacle.map { .notReady("\(context.endpoint): \($0.message)") } ?? .ready
    }

    /// Takes no more requests and waits for the outcome of those it has; what has none at the limit is given up.
    package func close(within limit: Duration = .seconds(5)) async {
        intake.close()
        if await !hasEnded.wait(atMost: limit, time: context.time) {
            intake.abort()
            _ = await hasEnded.wait(atMost: .seconds(5), time: context.time)
        }
        if ownsReactor { reactor.stop() }
    }

    private func admit(
        _ requests: [HTTP2Request], areAwaited: Bool, completion: @escaping @Sendable (Int, HTTP2Outcome) -> Void
    ) -> RequestWindow.Admission {
        let now = context.time.uptime
        let limit = context.configuration.requestLimit
        let pending = requests.indices.map { index in
            PendingRequest(requests[index], index: index, accepted: now, limit: limit, completion: completion)
        }
        return intake.submit(pending, areAwaited: areAwaited)
    }

    private func refusal(_ admission: RequestWindow.Admission) -> HTTP2Error? {
        switch admission {
        case .accepted: nil
        case .full: HTTP2Error(.full, message: "too many requests wait for \(context.endpoint)")
        case .closed: HTTP2Error(.closed, message: "the pool is closed")
        }
    }
}
