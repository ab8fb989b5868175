import ServiceHost
import ServiceKit

/// Whether a program that ended by itself is started again.
struct RestartPolicy {
    enum Decision: Equatable {
        /// After a pause that grows with the attempt.
        case restart(attempt: Int)
        case giveUp
    }

    /// A run that lasted as long as this had begun well.
    static let goodRun = Duration.seconds(10)
    /// Ends at once in a row, with which a program is given up.
    static let quickEndsMaximum = 5

    private var quickEnds = 0

    mutating func decide(after ending: ChildProcess.Ending?, lived: Duration) -> Decision {
        // A wrong setting does not mend itself.
        if ending == .exited(ExitCode.configuration) || ending == .exited(ExitCode.usage) { return .giveUp }
        quickEnds = lived < RestartPolicy.goodRun ? quickEnds + 1 : 1
        return quickEnds < RestartPolicy.quickEndsMaximum ? .restart(attempt: quickEnds) : .giveUp
    }
}
