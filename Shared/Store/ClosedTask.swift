/// What came of the attempt to close a task.
package struct ClosedTask: Sendable {
    package let progress: TaskProgress
    /// The same as `Ledger.outcomes(of:)`, or nil, also if that would find some.
    package let outcomes: TaskOutcomes?

    package init(_ progress: TaskProgress, outcomes: TaskOutcomes? = nil) {
        self.progress = progress
        self.outcomes = outcomes
    }
}
