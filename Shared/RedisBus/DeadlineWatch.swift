import ServiceKit
import Synchronization

/// Expires waits whose deadline has passed. One task checks all of them at intervals, since a timer for each of
/// thousands of sends would cost more than the sends.
final class DeadlineWatch: Sendable {
    private struct State {
        var waits: [Int: (deadline: Duration, onExpiry: @Sendable () -> Void)] = [:]
        var numbers = 0
        var isSweeping = false
    }

    private let time: any TimeSource
    private let interval = Duration.milliseconds(20)
    private let state = Mutex(State())

    init(time: any TimeSource) {
        self.time = time
    }

    /// Returns a number for `remove`.
    func add(_ deadline: Duration, onExpiry: @escaping @Sendable () -> Void) -> Int {
        let (number, startsSweeping) = state.withLock { state in
            state.numbers += 1
            state.waits[state.numbers] = (deadline, onExpiry)
            defer { state.isSweeping = true }
            return (state.numbers, !state.isSweeping)
        }
        if startsSweeping { Task { await sweep() } }
        return number
    }

    func remove(_ number: Int) {
        state.withLock { _ = $0.waits.removeValue(forKey: number) }
    }

    private func sweep() async {
        while true {
            try? await time.sleep(for: interval)
            let now = time.uptime
            let (expired, isDone) = state.withLock { state in
                let expired = state.waits.filter { $0.value.deadline <= now }
                for number in expired.keys { state.waits.removeValue(forKey: number) }
                state.isSweeping = !state.waits.isEmpty
                return (expired.values.map(\.onExpiry), state.waits.isEmpty)
            }
            for expire in expired { expire() }
            if isDone { return }
        }
    }
}
