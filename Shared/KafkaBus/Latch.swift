import ServiceKit

/// A door that opens once and stays open. Threads wait for it blocked, tasks suspended, both with a limit.
final class Latch: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [Int: CheckedContinuation<Bool, Never>] = [:]
        var numbers = 0
    }

    private let state = Monitor(State())

    var isOpen: Bool { state.withLock { $0.isOpen } }

    func open() {
        let waiters = state.change { state in
            state.isOpen = true
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume(returning: true) }
    }

    /// Blocks the calling native thread; false when the limit passed first.
    func block(atMost limit: Duration) -> Bool {
        state.wait(timeout: limit) { $0.isOpen ? true : nil } ?? false
    }

    /// False when the limit passed first.
    func wait(atMost limit: Duration, time: any TimeSource) async -> Bool {
        var timer: Task<Void, Never>?
        defer { timer?.cancel() }
        return await withCheckedContinuation { continuation in
            guard let number = register(continuation) else { return continuation.resume(returning: true) }
            timer = Task {
                try? await time.sleep(for: limit)
                giveUp(number)
            }
        }
    }

    private func register(_ continuation: CheckedContinuation<Bool, Never>) -> Int? {
        state.withLock { state in
            guard !state.isOpen else { return nil }
            state.numbers += 1
            state.waiters[state.numbers] = continuation
            return state.numbers
        }
    }

    private func giveUp(_ number: Int) {
        state.withLock { $0.waiters.removeValue(forKey: number) }?.resume(returning: false)
    }
}
