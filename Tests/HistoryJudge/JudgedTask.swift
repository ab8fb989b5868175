package import PushModel

/// A task that the publisher was told is accepted. Times are since the begin of the history.
package struct JudgedTask: Sendable {
    /// What the endpoint of the app gets of a task's report.
    package enum ReportPost: Sendable {
        case asPublished
        /// The same in the form of its dialect.
        case inDialect
        case none
    }

    /// What a publisher that asks in the end is told in its dialect.
    package struct Status: Sendable {
        package let isSent: Bool
        package let counts: [DeliveryState: Int]
        package let unmatched: Int

        package init(isSent: Bool, counts: [DeliveryState: Int], unmatched: Int) {
            self.isSent = isSent
            self.counts = counts
            self.unmatched = unmatched
        }
    }

    package let id: TaskID
    /// For people who read a violation.
    package let name: String
    /// The numbers of the devices that it must reach, and of those that it may reach as well, since they came or went
    /// while it was resolved.
    package let audience: Set<Int>
    package var perhaps: Set<Int> = []
    /// Those that it may reach, since their subscriptions changed meanwhile.
    package var changing: Set<Int> = []
    /// When the publisher was told.
    package let accepted: Duration
    /// Before which nothing may be sent.
    package var begins = Duration.zero
    /// After which nothing may be sent.
    package var deadline: Duration
    package var isAtMostOnce = false
    /// True if the bus lost messages whose devices a sender may have ended, before it published that.
    package var mayMissResults = false
    /// When the publisher was told that it is cancelled or replaced.
    package var cancelled: Duration?
    /// True if a cancel was requested, or another task may have replaced it.
    package var mayBeCancelled = false
    /// True if it may end before its devices are looked up: it waited, and was cancelled or replaced.
    package var mayBeWithdrawn = false
    /// True if devices may be left out because of the app's rules.
    package var maySuppress = false
    /// The entries of its list that name no device, at least and at most; nil if that is not known.
    package var strangers: ClosedRange<Int>?
    /// Pushes a second.
    package var rate: Int?
    /// True if the rate of its app counts and limits its pushes.
    package var keepsAppRate = true
    /// True if the cap of its app counts and limits its pushes.
    package var keepsCap = false
    package var countsBadge = false
    /// True for a task to one user with a window, whose states a webhook is told.
    package var isMessage = false
    /// The key that the publisher repeats a request with, and when it first did.
    package var requestKey: String?
    package var asked = Duration.zero
    /// True if the same request may have made another task: in its dialect one that is repeated after a cancel, or after
    /// another request with its key, is a new one.
    package var mayBeRenewed = false
    package var reportPost = ReportPost.asPublished
    /// Nil if its dialect has none.
    package var status: Status?

    package init(_ id: TaskID, name: String, audience: Set<Int>, accepted: Duration) {
        self.id = id
        self.name = name
        self.audience = audience
        self.accepted = accepted
        deadline = accepted
    }

    package func mayReach(_ device: Int) -> Bool {
        audience.contains(device) || perhaps.contains(device) || changing.contains(device)
    }
}
