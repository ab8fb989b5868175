import PushModel
package import ServiceKit

/// The remaining data of a closed task for few devices after its ledger has expired.
package struct TaskTrace: Hashable, Sendable {
    package let outcomes: TaskOutcomes
    /// Defined by the writer; the store does not interpret it.
    package let dialect: String
    package let created: Timestamp
    package let closed: Timestamp
    package let isCancelled: Bool
    /// Entries of the task's list that named no device.
    package let unmatched: Int
    /// The rest of the report, in a format of the writer's; may be empty.
    package let report: [UInt8]

    package init(
        _ outcomes: TaskOutcomes, dialect: String, created: Timestamp, closed: Timestamp, isCancelled: Bool,
        unmatched: Int = 0, report: [UInt8] = []
    ) {
        self.outcomes = outcomes
        self.dialect = dialect
        self.created = created
        self.closed = closed
        self.isCancelled = isCancelled
        self.unmatched = unmatched
        self.report = report
    }

    package var plan: TaskPlan { outcomes.plan }

    /// As last returned by the ledger.
    package var progress: TaskProgress {
        let counts = outcomes.devices.reduce(into: StateCounts()) { counts, device in counts[device.state] += 1 }
        return TaskProgress(
            plan: plan, jobsResolved: plan.jobs, isCancelled: isCancelled, counts: counts,
            unmatched: unmatched, closed: closed)
    }
}
