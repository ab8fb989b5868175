/// An event that happens once: tasks wait for it suspended, native threads blocked; any thread may report it.
package final class OneTimeEvent: Sendable {
    private struct State {
        var hasHappened = false
        var waiters: [Int: CheckedContinuation<Bool, Never>] = [:]
        var numbers = 0

        mutating func newNumber() -> Int {
            numbers += 1
            return numbers
        }
    }

    private let state = Monitor(State())

    package init() {}

    package var hasHappened: Bool { state.withLock { $0.hasHappened } }

    package func happen() {
        let waiters = state.change { state in
            state.hasHappened = true
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume(returning: true) }
    }

    /// Returns when the event has happened, immediately if it already has, or when the task is cancelled.
    package func wait() async {
        let number = state.withLock { $0.newNumber() }
        await withTaskCancellationHandler {
            _ = await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    // A task is marked as cancelled before its handler runs: either this check or the handler sees it.
                    if state.hasHappened || Task.isCancelled { return true }
                    state.waiters[number] = continuation
                    return false
                }
                if isOver { continuation.resume(returning: true) }
            }
        } onCancel: {
            giveUp(number)
        }
    }

    /// False if the limit passes first. Cancellation does not end the wait, which is bounded anyway: a task that closes
    /// a resource has often been cancelled already.
    package func wait(atMost limit: Duration, time: any TimeSource) async -> Bool {
        var timer: ScheduledAction?
        defer { timer?.cancel() }
        return await withCheckedContinuation { continuation in
            let number = state.withLock { state -> Int? in
                guard !state.hasHappened else { return nil }
                let number = state.newNumber()
                state.waiters[number] = continuation
                return number
            }
            guard let number else { return continuation.resume(returning: true) }
            timer = time.schedule(after: limit) { self.giveUp(number) }
        }
    }

    /// Blocks the calling native thread; false if the limit passes first.
    package func block(atMost limit: Duration) -> Bool {
        state.wait(timeout: limit) { $0.hasHappened ? true : nil } ?? false
    }

    private func giveUp(_ number: Int) {
        state.withLock { $0.waiters.removeValue(forKey: number) }?.resume(returning: false)
    }
}
