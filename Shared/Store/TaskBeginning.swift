/// What became of the attempt to begin a task for few.
package enum TaskBeginning: Hashable, Sendable {
    case begun(EnteredTask)
    /// It has this plan already, and stays as it is.
    case planned(TaskPlan)
}

/// A task with segments that are entered: what marking their devices takes.
package struct EnteredTask: Hashable, Sendable {
    package let plan: TaskPlan
    /// Whatever is marked ends at once.
    package let isCancelled: Bool

    package init(plan: TaskPlan, isCancelled: Bool) {
        self.plan = plan
        self.isCancelled = isCancelled
    }
}
