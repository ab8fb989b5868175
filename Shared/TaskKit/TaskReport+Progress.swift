import PushModel
package import Store
import TaskModel
package import Topics

extension TaskReport {
    /// The closed task as its ledger had it, with one job for all and with its end in place of its deadline, neither of
    /// which a report has.
    package var progress: TaskProgress {
        var counts = StateCounts()
        for state in DeliveryState.allCases where state.isTerminal { counts[state] = self[state] }
        let plan = TaskPlan(app: app, jobs: 1, isFast: lane == .fast, deadline: closed, policy: .atMostOnce)
        return TaskProgress(plan: plan, jobsResolved: 1, isCancelled: isCancelled, counts: counts, closed: closed)
    }
}
