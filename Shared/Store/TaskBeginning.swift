/// Result of an attempt to begin a task for few.
package enum TaskBeginning: Hashable, Sendable {
    case begun(EnteredTask)
    /// The task already has this plan, and stays unchanged.
    case planned(TaskPlan)
}

/// A task and its entered segments: the information needed to mark their devices.
package struct EnteredTask: Hashable, Sendable {
    package let plan: TaskPlan
    /// True if marked devices end immediately.
    package let isCancelled: Bool

    package init(plan: TaskPlan, isCancelled: Bool) {
        self.plan = plan
        self.isCancelled = isCancelled
    }
}
