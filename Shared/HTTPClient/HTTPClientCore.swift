import ServiceKit

/// State shared by callers and the loop: the queue and the callers waiting for requests.
final class HTTPClientCore: Sendable {
    /// The loop's next actions.
    struct Work {
        let starts: [Start]
        let aborts: [(id: TransferQueue.ID, reason: HTTPClientError)]
        let wait: Duration
    }

    struct Pending {
        let request: HTTPClientRequest
        let admitted: Duration
        let continuation: CheckedContinuation<HTTPClientOutcome, Never>
    }

    struct Start {
        let id: TransferQueue.ID
        let request: HTTPClientRequest
    }

    private struct State {
        var queue: TransferQueue
        var pending: [TransferQueue.ID: Pending] = [:]
        var numbers = 0
    }

    let configuration: HTTPClientConfiguration
    let multi: CurlMulti
    private let time: any TimeSource
    private let instruments: HTTPClientInstruments
    private let state: Monitor<State>

    init(_ configuration: HTTPClientConfiguration, metrics: Metrics, time: any TimeSource) {
        self.configuration = configuration
        self.time = time
        multi = CurlMulti(configuration)
        instruments = HTTPClientInstruments(client: configuration.name, metrics: metrics)
        let queue = TransferQueue(
            concurrentMaximum: configuration.concurrentMaximum, hostMaximum: configuration.hostMaximum,
            waitingMaximum: configuration.waitingMaximum)
        state = Monitor(State(queue: queue))
    }

    func send(_ request: HTTPClientRequest) async -> HTTPClientOutcome {
        if let flaw = request.flaw { return refuse(HTTPClientError(.invalid, message: flaw)) }
        let id = state.withLock { state in
            state.numbers += 1
            return state.numbers
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if let refusal = admit(id, request: request, continuation: continuation) {
                    continuation.resume(returning: refusal)
                } else {
                    multi.wake()
                }
            }
        } onCancel: {
            withdraw(id)
        }
    }

    func close(within limit: Duration) {
        state.withLock { $0.queue.close(at: time.uptime + limit) }
        multi.wake()
    }

    /// Resumes callers whose requests failed, and returns the loop's next actions; nil when all is done.
    func nextWork() -> Work? {
        let now = time.uptime
        let (step, starts) = state.withLock { state in
            let step = state.queue.step(at: now)
            let starts = step.starts.compactMap { id in
                state.pending[id].map { Start(id: id, request: $0.request) }
            }
            return (step, starts)
        }
        for id in step.expirations { resolve(id, outcome: .notSent(HTTPClientCore.overdue)) }
        for id in step.refusals { resolve(id, outcome: .notSent(HTTPClientCore.closed)) }
        if step.isOver { return nil }
        return Work(
            starts: starts, aborts: step.aborts.map { ($0.id, HTTPClientCore.failure(for: $0.reason)) },
            wait: (step.next ?? now + .seconds(60)) - now)
    }

    func finish(_ id: TransferQueue.ID, outcome: HTTPClientOutcome) {
        state.withLock { $0.queue.finish(id) }
        resolve(id, outcome: outcome)
    }

    private static let closed = HTTPClientError(.closed, message: "the client is closed")
    private static let overdue = HTTPClientError(.deadline, message: "the deadline passed before a response arrived")
    private static let cancelled = HTTPClientError(
        .cancelled, message: "the calling task was cancelled")

    private static func failure(for reason: TransferQueue.Abort.Reason) -> HTTPClientError {
        switch reason {
        case .unwanted: cancelled
        case .overdue: overdue
        case .closing: closed
        }
    }

    private func admit(
        _ id: TransferQueue.ID, request: HTTPClientRequest,
        continuation: CheckedContinuation<HTTPClientOutcome, Never>
    ) -> HTTPClientOutcome? {
        let now = time.uptime
        let host = request.origin.lowercased()
        let deadline = now + (request.deadline ?? configuration.deadline)
        return state.withLock { state in
            // A task is marked as cancelled before its handler runs, so either this check or the handler sees it.
            if Task.isCancelled { return refuse(HTTPClientCore.cancelled) }
            switch state.queue.admit(id, host: host, deadline: deadline) {
            case .full:
                return refuse(
                    HTTPClientError(.full, message: "\(configuration.waitingMaximum) requests are already queued"))
            case .closed: return refuse(HTTPClientCore.closed)
            case .admitted:
                state.pending[id] = Pending(request: request, admitted: now, continuation: continuation)
                instruments.requestsOpen.add(1)
                return nil
            }
        }
    }

    private func withdraw(_ id: TransferQueue.ID) {
        if state.withLock({ $0.queue.withdraw(id) }) {
            resolve(id, outcome: .notSent(HTTPClientCore.cancelled))
        } else {
            multi.wake()
        }
    }

    private func resolve(_ id: TransferQueue.ID, outcome: HTTPClientOutcome) {
        guard let pending = state.withLock({ $0.pending.removeValue(forKey: id) }) else { return }
        instruments.requestsOpen.add(-1)
        instruments.count(outcome, duration: time.uptime - pending.admitted)
        pending.continuation.resume(returning: outcome)
    }

    private func refuse(_ failure: HTTPClientError) -> HTTPClientOutcome {
        instruments.count(.notSent(failure), duration: .zero)
        return .notSent(failure)
    }
}
