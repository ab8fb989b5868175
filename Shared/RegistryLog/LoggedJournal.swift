package import Bus
import PushModel
import ServiceKit
package import Store
import Synchronization

/// Appends changes to the log and returns once the projector, here or in another process, has applied them.
///
/// One loop queries the projection for all waiters, while there are any: a change needs no query of its own.
package final class LoggedJournal: RegistryJournal, Service {
    package struct Options: Sendable {
        /// Maximum time from a change's append until it is applied.
        package var patience: Duration
        /// Changes in flight at one time; above that the store counts as unavailable.
        package var changesMaximum: Int
        package var pollInterval: Duration

        package init(
            patience: Duration = .seconds(5), changesMaximum: Int = 4_096, pollInterval: Duration = .milliseconds(3)
        ) {
            self.patience = patience
            self.changesMaximum = changesMaximum
            self.pollInterval = pollInterval
        }
    }

    private typealias Waiters = AppliedWaiters<CheckedContinuation<StoreError?, Never>>

    private struct State {
        var waiters = Waiters()
        /// Commits in progress.
        var open = 0
        var isStopped = false
        /// The projection is not queried any more.
        var hasEnded = false
        /// The last error of querying the projection.
        var problem: StoreError?
    }

    package let name = "registry journal"
    private let producer: any BusProducer
    private let projection: any RegistryProjection
    private let environment: WorkerEnvironment
    private let options: Options
    private let pulse: Pulse
    private let state = Mutex(State())
    private let wakeUps: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation

    /// Closes the producer when `run` ends.
    package init(
        producer: any BusProducer, projection: any RegistryProjection, environment: WorkerEnvironment,
        options: Options = Options()
    ) {
        self.producer = producer
        self.projection = projection
        self.environment = environment
        self.options = options
        pulse = environment.health.pulse(name, limit: .seconds(60))
        pulse.rest()
        (wakeUps, wakeUp) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    package func commit(_ changes: [RegistryChange]) async throws(StoreError) {
        guard let segment = changes.first?.segment else { return }
        precondition(changes.allSatisfy { $0.segment == segment }, "the changes of a commit are of one segment")
        try enter()
        defer { leave() }
        let deadline = environment.time.uptime + options.patience
        let target = try await append(changes)
        let failure = await withCheckedContinuation { continuation in
            wait(Waiters.Waiter(target: target, deadline: deadline, continuation: continuation), for: segment)
        }
        if let failure { throw failure }
    }

    package func run() async throws {
        for await _ in wakeUps { await ask { !$0.waiters.isEmpty } }
        // Commits started before the stop still complete, within their patience.
        await ask { $0.open > 0 }
        let left = state.withLock { state in
            state.hasEnded = true
            return state.waiters.takeAll()
        }
        for waiter in left { waiter.continuation.resume(returning: LoggedJournal.ended) }
        await producer.close()
    }

    package func stop() {
        state.withLock { $0.isStopped = true }
        wakeUp.finish()
    }
}

extension LoggedJournal {
    private static let ended = StoreError(.unavailable, message: "the service is shutting down")

    private func enter() throws(StoreError) {
        try state.withLock { state throws(StoreError) in
            guard !state.isStopped else { throw LoggedJournal.ended }
            guard state.open < options.changesMaximum else {
                throw StoreError(.unavailable, message: "too many registry changes in flight: \(state.open)")
            }
            state.open += 1
        }
    }

    private func leave() {
        state.withLock { $0.open -= 1 }
    }

    /// Returns the offset after the last record. Records appended before an error stay in the log and are applied too:
    /// repeating the change is idempotent.
    private func append(_ changes: [RegistryChange]) async throws(StoreError) -> Int64 {
        let positions: [MessagePosition]
        do {
            positions = try await producer.send(changes.map { RegistryRecord($0).message })
        } catch {
            throw StoreError(appending: error)
        }
        guard let last = positions.compactMap(\.offset).max(), positions.allSatisfy({ $0.offset != nil }) else {
            throw StoreError(.unavailable, message: "the brokers did not return the offset of the change")
        }
        return last + 1
    }

    private func wait(_ waiter: Waiters.Waiter, for segment: SegmentID) {
        let hasEnded = state.withLock { state in
            if !state.hasEnded { state.waiters.add(waiter, for: segment) }
            return state.hasEnded
        }
        if hasEnded { waiter.continuation.resume(returning: LoggedJournal.ended) }
        wakeUp.yield()
    }

    private func ask(while isNeeded: (State) -> Bool) async {
        while !Task.isCancelled, state.withLock({ isNeeded($0) }) {
            pulse.tick()
            await askOnce()
            try? await environment.time.sleep(for: options.pollInterval)
        }
        pulse.rest()
    }

    private func askOnce() async {
        let segments = state.withLock { $0.waiters.segments }
        let answer = segments.isEmpty ? .success([]) : await applied(in: segments)
        let now = environment.time.uptime
        let (reached, overdue, failure) = state.withLock { state in
            var reached: [Waiters.Waiter] = []
            switch answer {
            case .success(let offsets):
                state.problem = nil
                reached = state.waiters.takeReached(segments, at: offsets)
            case .failure(let problem): state.problem = problem
            }
            return (reached, state.waiters.takeOverdue(at: now), lateness(state.problem))
        }
        for waiter in reached { waiter.continuation.resume(returning: nil) }
        for waiter in overdue { waiter.continuation.resume(returning: failure) }
    }

    private func applied(in segments: [SegmentID]) async -> Result<[Int64], StoreError> {
        do {
            return .success(try await projection.applied(in: segments))
        } catch {
            return .failure(error)
        }
    }

    private func lateness(_ problem: StoreError?) -> StoreError {
        let limit = DurationText.print(options.patience)
        return StoreError(
            problem?.code ?? .unavailable,
            message: "the change is in the log but was not applied within \(limit)"
                + (problem.map { ": \($0.message)" } ?? ""))
    }
}

extension StoreError {
    fileprivate init(appending error: BusError) {
        let code: Code =
            switch error.code {
            case .unavailable, .full, .closed: .unavailable
            case .refused, .replaced: .refused
            case .tooLarge: .tooMany
            }
        self.init(code, message: "the change could not be appended to the registry log: \(error)")
    }
}
