import CommandKit
import ServiceHost
import ServiceKit
import Synchronization

/// Runs the demonstration beside the pipeline: starts when that is ready, and is cancelled when it stops.
final class Demonstration: Sendable {
    private enum State {
        case waiting
        case showing(Task<Void, Never>)
        case over(Int32)
    }

    private let context: CommandContext
    private let place: String
    private let afterwards: @Sendable () -> Void
    private let state = Mutex(State.waiting)

    /// `place` holds the options with which commands find the pipeline, such as ` --data folder`.
    init(in context: CommandContext, place: String, afterwards: @escaping @Sendable () -> Void) {
        self.context = context
        self.place = place
        self.afterwards = afterwards
    }

    /// 0 if everything was shown, and report and simulator agree.
    var exitCode: Int32 {
        state.withLock { state in
            guard case .over(let code) = state else { return ExitCode.failure }
            return code
        }
    }

    /// A second call does nothing: the pipeline may announce again that it is ready.
    func begin(_ announcement: UpAnnouncement) {
        state.withLock { state in
            guard case .waiting = state else { return }
            state = .showing(
                Task { [self] in
                    let code = await show(announcement)
                    self.state.withLock { $0 = .over(code) }
                    afterwards()
                })
        }
    }

    func cutOff() {
        state.withLock { state in
            if case .showing(let task) = state { task.cancel() }
        }
    }

    private func show(_ announcement: UpAnnouncement) async -> Int32 {
        do {
            let agrees = try await Demo.run(announcement, in: context, place: place)
            context.terminal.print(agrees ? "report and simulator agree" : "report and simulator DIFFER")
            return agrees ? 0 : ExitCode.failure
        } catch {
            if !Task.isCancelled { context.terminal.complain("carillon: the demonstration failed: \(error)") }
            return ExitCode.failure
        }
    }
}
