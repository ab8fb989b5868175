package import PushModel
package import ServiceKit

/// Decisions about a task before its first device is marked, written once.
package struct TaskPlan: Hashable, Sendable {
    /// Handling of a device whose delivery is uncertain.
    package enum AmbiguityPolicy: UInt8, Sendable {
        /// Sent again; the collapse identifier prevents a second notification.
        case atLeastOnce = 0
        /// Reported as unknown.
        case atMostOnce = 1
    }

    package let app: AppID
    /// Number of segments to resolve and parts of device lists together.
    package let jobs: Int
    /// True for the fast lane: few devices, and a ledger that expires an hour after the task is reported.
    package let isFast: Bool
    /// When the devices still open end as expired.
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

    /// Retention of a segment's ledger after its closing, and of the task's own: longer than any message on the bus. A
    /// reporter may crash after closing a task, before reading the counts, and the next check may be days later.
    package static let closedRetention = Duration.seconds(8 * 86_400)

    /// The same for the details of single devices.
    package static let detailRetention = Duration.seconds(7 * 86_400)

    /// Retention of a task's data after its report, so that a redelivered message is recognized as done: for
    /// broadcasts, longer than any message stays on the bus. Single pushes are too many for that; after the hour a
    /// redelivered message finds no ledger, and without one nothing is sent.
    package static func retention(isFast: Bool) -> Duration { isFast ? .seconds(3_600) : .seconds(8 * 86_400) }

    /// How long a cancellation waits for its plan.
    package static let cancellationRetention = Duration.seconds(8 * 86_400)

    /// True if the details of such a settlement are kept. Most devices of a big task are delivered at the first
    /// attempt, and waiting at attempt zero means that nothing was sent: neither has details to keep.
    package func keepsDetail(of state: DeliveryState, attempt: UInt8) -> Bool {
        isFast || attempt > 0 || (state != .delivered && state != .waiting)
    }
}
