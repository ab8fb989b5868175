import ServiceKit
import Synchronization

/// Runs everything that the tasks of one history do, on one thread and one step at a time. A seed picks the next step
/// of all that could follow, and the clock advances when there is none.
final class StepLoop: Sendable {
    private enum Step {
        case job(UnownedJob)
        case continuation(UnsafeContinuation<Void, Never>)
        case timer(Sleeper)
    }

    private enum Sleeper {
        case task(UnsafeContinuation<Void, any Error>)
        case action(@Sendable () -> Void)

        func wake() {
            switch self {
            case .task(let continuation): continuation.resume()
            case .action(let perform): perform()
            }
        }
    }

    private struct Timer {
        let deadline: Duration
        let number: Int
    }

    private struct State {
        var dice: Dice
        var uptime = Duration.zero {
            didSet { milliseconds = uptime.wholeMilliseconds }
        }
        /// The same, for clocks, which are read far more often than it changes.
        private(set) var milliseconds: Int64 = 0
        var ready: [Step] = []
        /// The next one last.
        var timers: [Timer] = []
        var sleepers: [Int: Sleeper] = [:]
        var numbers = 0
        var steps = 0
        var isRunning = false

        mutating func insert(_ timer: Timer) {
            var (low, high) = (0, timers.count)
            while low < high {
                let middle = (low + high) / 2
                let other = timers[middle]
                // Of timers for one moment, the one that was set first is over first.
                if (other.deadline, other.number) > (timer.deadline, timer.number) {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            timers.insert(timer, at: low)
        }

        mutating func insert(_ sleeper: Sleeper, number: Int, until deadline: Duration) {
            sleepers[number] = sleeper
            insert(Timer(deadline: deadline, number: number))
        }
    }

    private let state: Mutex<State>

    init(seed: UInt64) {
        state = Mutex(State(dice: Dice(seed: seed)))
    }

    var uptime: Duration { state.withLock { $0.uptime } }
    var milliseconds: Int64 { state.withLock { $0.milliseconds } }
    var steps: Int { state.withLock { $0.steps } }

    /// Runs what the body starts, until nothing is left to do before the limit, or too many steps were made. Returns
    /// false in the latter case.
    func run(until limit: Duration, stepsMaximum: Int, body: () -> Void) -> Bool {
        state.withLock { $0.isRunning = true }
        defer { state.withLock { $0.isRunning = false } }
        return JobHook.collect(by: self) {
            body()
            while let step = next(until: limit) {
                switch step {
                case .job(let job): job.runSynchronously(on: JobHook.executor)
                case .continuation(let continuation): continuation.resume()
                case .timer(let sleeper): sleeper.wake()
                }
                if steps >= stepsMaximum { return false }
            }
            return true
        }
    }

    func add(_ job: UnownedJob) {
        state.withLock { $0.ready.append(.job(job)) }
    }

    /// Returns after any number of steps of others.
    func pause() async {
        // There is no other step: the next one would be the caller's.
        guard state.withLock({ !$0.ready.isEmpty }) else { return }
        await withUnsafeContinuation { continuation in
            state.withLock { $0.ready.append(.continuation(continuation)) }
        }
    }

    /// Returns at once if no run advances the time.
    func sleep(until deadline: Duration) async throws {
        guard state.withLock({ $0.isRunning }) else { return }
        let number = state.withLock { state in
            state.numbers += 1
            return state.numbers
        }
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
                if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
                state.withLock { $0.insert(.task(continuation), number: number, until: deadline) }
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
            if case .task(let continuation) = sleeper { continuation.resume(throwing: CancellationError()) }
        }
    }

    /// Performs an action then, or at once if no run advances the time.
    func schedule(at deadline: Duration, _ action: @escaping @Sendable () -> Void) -> ScheduledAction {
        let number = state.withLock { state -> Int? in
            guard state.isRunning else { return nil }
            state.numbers += 1
            state.insert(.action(action), number: state.numbers, until: deadline)
            return state.numbers
        }
        guard let number else {
            action()
            return ScheduledAction {}
        }
        return ScheduledAction { self.state.withLock { $0.sleepers[number] = nil } }
    }

    private func next(until limit: Duration) -> Step? {
        state.withLock { state in
            state.steps += 1
            if !state.ready.isEmpty {
                let chosen = state.dice.number(below: state.ready.count)
                state.ready.swapAt(chosen, state.ready.count - 1)
                return state.ready.removeLast()
            }
            while let timer = state.timers.last, timer.deadline <= limit {
                state.timers.removeLast()
                guard let sleeper = state.sleepers.removeValue(forKey: timer.number) else { continue }
                state.uptime = max(state.uptime, timer.deadline)
                return .timer(sleeper)
            }
            state.uptime = max(state.uptime, limit)
            return nil
        }
    }
}
