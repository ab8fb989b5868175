import PushModel
package import Store
import TaskModel
package import Topics

extension TaskReport {
    /// The closed task as in its ledger, but with one job in all and its closing time as its deadline, since a report
    /// has neither.
    package var progress: TaskProgress {
        var counts = StateCounts()
        for state in DeliveryState.allCases where state.isTerminal { counts[state] = self[state] }
        let plan = TaskPlan(app: app, jobs: 1, isFast: lane == .fast, deadline: closed, policy: .atMostOnce)
        return TaskProgress(
            plan: plan, jobsResolved: 1, isCancelled: isCancelled, counts: counts, unmatched: unmatched, closed: closed)
    }
}
