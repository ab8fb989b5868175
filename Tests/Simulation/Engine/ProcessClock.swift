import ServiceKit
import Synchronization

/// The clock of one machine: the time of the history, and a wall clock that may be wrong.
final class ProcessClock: TimeSource {
    static let start = Timestamp(milliseconds: 1_767_225_600_000)

    private let loop: StepLoop
    private let gate: Gate
    /// In milliseconds.
    private let error: Mutex<Int64>

    init(_ loop: StepLoop, gate: Gate = Gate(), error: Duration = .zero) {
        self.loop = loop
        self.gate = gate
        self.error = Mutex(error.wholeMilliseconds)
    }

    var uptime: Duration { loop.uptime }
    var now: Timestamp {
        Timestamp(milliseconds: ProcessClock.start.milliseconds + loop.milliseconds + error.withLock { $0 })
    }

    func step(to error: Duration) {
        self.error.withLock { $0 = error.wholeMilliseconds }
    }

    func sleep(for duration: Duration) async throws {
        guard !gate.isDead else { throw CancellationError() }
        try await loop.sleep(until: loop.uptime + max(.zero, duration))
        guard await gate.pass() else { throw CancellationError() }
    }

    /// As if a task slept and then performed it, in fewer steps.
    func schedule(after duration: Duration, _ action: @escaping @Sendable () -> Void) -> ScheduledAction {
        loop.schedule(at: gate.isDead ? .zero : loop.uptime + max(.zero, duration)) { [gate] in
            gate.whenPassed(action)
        }
    }
}
