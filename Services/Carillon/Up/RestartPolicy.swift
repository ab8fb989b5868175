import ServiceHost
import ServiceKit

/// Decides whether a program that exited is restarted.
struct RestartPolicy {
    enum Decision: Equatable {
        /// After a backoff that grows with the attempt.
        case restart(attempt: Int)
        case giveUp
    }

    /// A run of at least this duration resets the count of short runs.
    static let goodRun = Duration.seconds(10)
    /// Consecutive short runs after which a program is not restarted.
    static let quickEndsMaximum = 5

    private var quickEnds = 0

    mutating func decide(after ending: ChildProcess.Ending?, lived: Duration) -> Decision {
        // A restart does not correct an invalid setting.
        if ending == .exited(ExitCode.configuration) || ending == .exited(ExitCode.usage) { return .giveUp }
        quickEnds = lived < RestartPolicy.goodRun ? quickEnds + 1 : 1
        return quickEnds < RestartPolicy.quickEndsMaximum ? .restart(attempt: quickEnds) : .giveUp
    }
}
