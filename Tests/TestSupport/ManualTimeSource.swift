package import ServiceKit

/// A clock whose hands a test turns. Nothing waits for real time: a sleeper wakes in the moment its time is reached.
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

    /// Starts in 2026, so that a time mistaken for an uptime stands out.
    package init(now: Timestamp = Timestamp(milliseconds: 1_767_225_600_000)) {
        state = Monitor(State(now: now))
    }

    package var now: Timestamp { state.withLock { $0.now } }
    package var uptime: Duration { state.withLock { $0.uptime } }

    /// Turns both hands and wakes who is due, the earliest first. Who sleeps again counts from the new time.
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

    /// Somebody set the machine's clock: deadlines and sleepers must not notice.
    package func setWallClock(to moment: Timestamp) {
        state.change { $0.now = moment }
    }

    /// Waits until at least `count` tasks sleep at once; false when the limit passes first.
    package func hasSleepers(_ count: Int, within limit: Duration = .seconds(30)) async -> Bool {
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
            // A cancellation that came before this found no sleeper to wake, but has left its mark on the task.
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
