package import ServiceKit

/// A clock that only a test advances. Nothing waits for real time: a sleeper wakes as soon as its time is reached.
package final class ManualTimeSource: TimeSource {
    private struct Sleeper {
        let due: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now: Timestamp
        var uptime = Duration.zero
        var sleepers: [Int: Sleeper] = [:]
        var sleepsBegun = 0
    }

    private enum Start {
        case wait
        case wake
        case cancel
    }

    private let state: Monitor<State>

    /// Starts in 2026, so that a time mistaken for an uptime is easy to spot.
    package init(now: Timestamp = Timestamp(milliseconds: 1_767_225_600_000)) {
        state = Monitor(State(now: now))
    }

    package var now: Timestamp { state.withLock { $0.now } }
    package var uptime: Duration { state.withLock { $0.uptime } }

    /// Advances time and uptime, then wakes the due sleepers, earliest first. A new sleep starts at the new time.
    package func advance(by duration: Duration) {
        precondition(duration >= .zero, "uptime does not go back")
        let woken = state.change { state in
            state.now = state.now + duration
            state.uptime += duration
            let due = state.sleepers.filter { $0.value.due <= state.uptime }
            for id in due.keys { state.sleepers[id] = nil }
            return due.sorted { ($0.value.due, $0.key) < ($1.value.due, $1.key) }
        }
        for (_, sleeper) in woken { sleeper.continuation.resume() }
    }

    /// Sets the wall clock only: deadlines and sleepers must not be affected.
    package func setWallClock(to moment: Timestamp) {
        state.change { $0.now = moment }
    }

    /// Waits until at least `count` tasks sleep at the same time; false when the limit passes first.
    package func hasSleepers(_ count: Int, within limit: Duration = .hangLimit) async -> Bool {
        await blocking { [state] in
            state.wait(timeout: limit) { $0.sleepers.count >= count ? true : nil } ?? false
        }
    }

    package func sleep(for duration: Duration) async throws {
        let id = state.withLock { state in
            state.sleepsBegun += 1
            return state.sleepsBegun
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                begin(id, for: duration, continuation: continuation)
            }
        } onCancel: {
            state.change { $0.sleepers.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
        }
    }

    private func begin(_ id: Int, for duration: Duration, continuation: CheckedContinuation<Void, any Error>) {
        let start = state.change { state -> Start in
            // A cancellation before this point found no sleeper to wake, but the task is marked as cancelled.
            if Task.isCancelled { return .cancel }
            guard duration > .zero else { return .wake }
            state.sleepers[id] = Sleeper(due: state.uptime + duration, continuation: continuation)
            return .wait
        }
        switch start {
        case .wait: break
        case .wake: continuation.resume()
        case .cancel: continuation.resume(throwing: CancellationError())
        }
    }
}
