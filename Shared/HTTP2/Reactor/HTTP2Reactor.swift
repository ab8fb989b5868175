package import ServiceKit
import Synchronization

/// One thread that serves any number of pools and servers: it waits for their sockets, then gives each of them a turn.
/// `stop` ends it; until then the thread keeps it alive. All of them must use the same time source.
package final class HTTP2Reactor: Sendable {
    private struct State {
        var jobs: [@Sendable (ReactorLoop) -> Void] = []
        var isStopped = false
    }

    private let state = Mutex(State())
    let wakePipe = WakePipe()
    private let hasEnded = OneTimeEvent()

    package init(name: String = "http2", time: any TimeSource = SystemTimeSource()) {
        NativeThread(name: name) { [self] in
            ReactorLoop(self, time: time).run()
            hasEnded.happen()
        }.detach()
    }

    /// Runs the job on the thread, soon. After the reactor has stopped, jobs are dropped.
    func run(_ job: @escaping @Sendable (ReactorLoop) -> Void) {
        state.withLock { $0.jobs.append(job) }
        wakePipe.wake()
    }

    /// Ends the thread. Close its pools and servers first: callers still waiting for an outcome would get none.
    package func stop() {
        state.withLock { $0.isStopped = true }
        wakePipe.wake()
    }

    package func ended(within limit: Duration, time: any TimeSource) async -> Bool {
        await hasEnded.wait(atMost: limit, time: time)
    }

    func takeJobs() -> (jobs: [@Sendable (ReactorLoop) -> Void], isStopped: Bool) {
        state.withLock { state in
            defer { state.jobs = [] }
            return (state.jobs, state.isStopped)
        }
    }
}
