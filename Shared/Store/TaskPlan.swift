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
    /// Takes the fast lane: few devices, and a ledger that goes an hour after the task is reported.
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

    /// How long a segment's ledger outlives its closing, and the task its own: longer than any message on the bus.
    /// Whoever closes a task may die before it has read the counts, and nobody else look at it for days.
    package static let closedRetention = Duration.seconds(8 * 86_400)

    /// The same for what was told of single devices.
    package static let detailRetention = Duration.seconds(7 * 86_400)

    /// How long what is kept of a task outlives its report. Whoever gets a message again learns there that it was done: a
    /// broadcast's stays for longer than any message does on the bus. Of single pushes there are too many for that; after
    /// the hour a repeat finds no ledger, and without one nothing is sent.
    package static func retention(isFast: Bool) -> Duration { isFast ? .seconds(3_600) : .seconds(8 * 86_400) }

    /// How long a cancellation waits for its plan.
    package static let cancellationRetention = Duration.seconds(8 * 86_400)

    /// Whether a settlement of this kind is told of when asked for. Most devices of a big task are delivered at once, and
    /// waiting at attempt zero means that nothing was sent: both have nothing to tell.
    package func keepsDetail(of state: DeliveryState, attempt: UInt8) -> Bool {
        isFast || attempt > 0 || (state != .delivered && state != .waiting)
    }
}
