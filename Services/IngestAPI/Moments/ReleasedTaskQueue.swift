import Bus
import ServiceKit
import Synchronization
import TaskKit

/// Removes tasks that moments released from the places where they waited: after the answer, since the push need not wait
/// for it, and many at once. A task that is not removed, because this process dies, is released again at its time, which
/// a resolver ignores.
final class ReleasedTaskQueue: Service {
    /// Further tasks are not removed before their time.
    static let tasksMaximum = 1_024
    private static let tasksAtOnce = 256
    /// More tasks make larger batches meanwhile.
    private static let pause = Duration.milliseconds(50)
    private static let pauseAfterFailure = Duration.seconds(1)
    private static let pulseLimit = Duration.seconds(60)

    private struct State {
        var tasks: [ReleasedTask] = []
        var arrival = OneTimeEvent()
    }

    let name = "released tasks"
    private let cleanup: ReleaseCleanup
    private let environment: WorkerEnvironment
    private let state = Mutex(State())
    private let stopping = OneTimeEvent()

    init(_ cleanup: ReleaseCleanup, environment: WorkerEnvironment) {
        self.cleanup = cleanup
        self.environment = environment
    }

    func add(_ tasks: [ReleasedTask]) {
        guard !tasks.isEmpty else { return }
        let arrival = state.withLock { state in
            state.tasks += tasks.prefix(ReleasedTaskQueue.tasksMaximum - state.tasks.count)
            return state.arrival
        }
        arrival.happen()
    }

    func run() async {
        let pulse = environment.health.pulse(name, limit: ReleasedTaskQueue.pulseLimit)
        while !stopping.hasHappened, !Task.isCancelled {
            pulse.rest()
            await arrival().wait()
            _ = await stopping.wait(atMost: ReleasedTaskQueue.pause, time: environment.time)
            pulse.tick()
            if await removeSome() { continue }
            _ = await stopping.wait(atMost: ReleasedTaskQueue.pauseAfterFailure, time: environment.time)
        }
        while !isEmpty, await removeSome() {}
        pulse.rest()
    }

    func stop() {
        stopping.happen()
        state.withLock { $0.arrival }.happen()
    }

    var isEmpty: Bool { state.withLock { $0.tasks.isEmpty } }

    /// Has happened if there are tasks, or the service stops.
    private func arrival() -> OneTimeEvent {
        state.withLock { state in
            if state.tasks.isEmpty, !stopping.hasHappened { state.arrival = OneTimeEvent() }
            return state.arrival
        }
    }

    /// False if they are to be removed later.
    private func removeSome() async -> Bool {
        let tasks = state.withLock { Array($0.tasks.prefix(ReleasedTaskQueue.tasksAtOnce)) }
        do {
            try await cleanup.remove(tasks)
            state.withLock { $0.tasks.removeFirst(tasks.count) }
            return true
        } catch {
            environment.log.warning(
                "released tasks not removed; retrying", [.count: "\(tasks.count)", .error: "\(error)"])
            return false
        }
    }
}
