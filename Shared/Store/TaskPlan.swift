package import PushModel
package import ServiceKit

/// What is decided about a task before its first device is marked, written once.
package struct TaskPlan: Hashable, Sendable {
    /// What is done with a device of which nobody knows whether it was delivered.
    package enum AmbiguityPolicy: UInt8, Sendable {
        /// Sent again; the collapse identifier protects the screen.
        case atLeastOnce = 0
        /// Reported as unknown.
        case atMostOnce = 1
    }

    package let app: AppID
    /// Segments to resolve and parts of device lists, together.
    package let jobs: Int
    /// Takes the fast lane: few devices, and a ledger that goes an hour after the task is closed.
    package let isFast: Bool
    /// When what is still open ends as expired.
    package let deadline: Timestamp
    package let policy: AmbiguityPolicy

    package init(app: AppID, jobs: Int, isFast: Bool, deadline: Timestamp, policy: AmbiguityPolicy) {
        self.app = app
        self.jobs = jobs
        self.isFast = isFast
        self.deadline = deadline
        self.policy = policy
    }

    package static let jobsMaximum = 1 << 20
}
