package import ServiceKit
import Synchronization

/// Sends requests to one host over a few HTTP/2 connections. Every accepted request gets exactly one outcome, within
/// its limit; cancelling a task does not withdraw its request.
///
/// One thread, the reactor's, serves all connections; several pools may share it. A pool that is no longer needed must
/// be closed; until then its thread keeps it alive.
package final class HTTP2Pool: Sendable {
    package enum Admission: Equatable, Sendable {
        case accepted
        /// The window has no room for all of them: none was accepted.
        case full
        case closed
    }

    private let context: PoolContext
    private let intake: PoolIntake
    private let reactor: HTTP2Reactor
    private let ownsReactor: Bool
    private let hasEnded = OneTimeEvent()

    /// Without a reactor the pool creates its own.
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

    /// The primitive for callers that send hundreds of requests together. Accepts all or none; calls `completion` once
    /// per request, with its index and outcome, on the reactor's thread, which it must not block.
    package func submit(
        _ requests: [HTTP2Request], completion: @escaping @Sendable (Int, HTTP2Outcome) -> Void
    ) -> Admission {
        switch admit(requests, areAwaited: false, completion: completion) {
        case .accepted: .accepted
        case .full: .full
        case .closed: .closed
        }
    }

    /// Suspends while the window is full, and then until the outcome is known.
    package func send(_ request: HTTP2Request) async -> HTTP2Outcome {
        await withCheckedContinuation { continuation in
            let admission = admit([request], areAwaited: true) { continuation.resume(returning: $1) }
            if let error = error(of: admission) { continuation.resume(returning: .notSent(error)) }
        }
    }

    /// The outcomes come in the order of the requests.
    package func send(_ requests: [HTTP2Request]) async -> [HTTP2Outcome] {
        guard !requests.isEmpty else { return [] }
        return await withCheckedContinuation { continuation in
            let collector = OutcomeCollector(requests.count) { continuation.resume(returning: $0) }
            let admission = admit(requests, areAwaited: true) { collector.set($1, at: $0) }
            guard let error = error(of: admission) else { return }
            continuation.resume(returning: requests.map { _ in .notSent(error) })
        }
    }

    /// Number of requests that `submit` would accept now.
    package var room: Int { intake.room }

    /// Replaces every connection, for example when the peer no longer accepts its credentials: open requests finish
    /// there, new ones go to new connections.
    package func renewConnections() {
        intake.renewConnections()
    }

    /// For `Health.addReadinessCheck`: an unused pool is ready.
    package func readiness() -> Health.Readiness {
        intake.obstacle.map { .notReady("\(context.endpoint): \($0.message)") } ?? .ready
    }

    /// Refuses new requests and waits for the outcomes of accepted ones; aborts the rest at the limit.
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

    private func error(of admission: RequestWindow.Admission) -> HTTP2Error? {
        switch admission {
        case .accepted: nil
        case .full: HTTP2Error(.full, message: "too many requests are queued for \(context.endpoint)")
        case .closed: HTTP2Error(.closed, message: "the pool is closed")
        }
    }
}
