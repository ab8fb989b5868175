package import PushModel
package import ServiceKit

/// Number of devices in each state.
package struct StateCounts: Hashable, Sendable {
    private var counts = [Int](repeating: 0, count: DeliveryState.allCases.count)

    package init() {}

    package subscript(state: DeliveryState) -> Int {
        get { counts[Int(state.rawValue)] }
        set { counts[Int(state.rawValue)] = newValue }
    }

    /// All devices ever marked.
    package var targeted: Int { counts.reduce(0, +) - self[.notTargeted] }
    package var open: Int { DeliveryState.open.reduce(0) { $0 + self[$1] } }

    package mutating func add(_ other: StateCounts) {
        for state in DeliveryState.allCases { self[state] += other[state] }
    }
}

/// Identifies a claim: a sender's incarnation and a number it assigns once. A repeated request keeps both.
package struct ClaimID: Hashable, Sendable {
    package let owner: UInt64
    package let number: UInt64

    package init(owner: UInt64, number: UInt64) {
        self.owner = owner
        self.number = number
    }
}

package struct ClaimRequest: Hashable, Sendable {
    package enum Kind: UInt8, Sendable {
        /// A first attempt or a retry. Takes no deferred device.
        case attempt = 0
        /// The release of a deferral. Takes deferred devices only.
        case deferral = 1
    }

    package let id: ClaimID
    package let offsets: [UInt16]
    /// The attempt of the message that claims; zero for the first.
    package let attempt: UInt8
    package let lease: Duration
    /// True if the first claim of a device increments its badge, and every claim reads it.
    package let countsBadge: Bool
    package let kind: Kind
    /// Limits and counts the first claims of each device over all tasks; nil for a claim that does neither.
    package let cap: PushCap?
    /// End of the devices' own life, if it differs from the task's: from then on they end as expired.
    package let deadline: Timestamp?

    package static let devicesMaximum = 256
    /// Delay until the release of a device is claimed again that is targeted, but not deferred yet: its order is
    /// durable before it is deferred.
    package static let undeferredPause = Duration.seconds(5)

    package init(
        id: ClaimID, offsets: [UInt16], attempt: UInt8, lease: Duration, countsBadge: Bool, kind: Kind = .attempt,
        cap: PushCap? = nil, deadline: Timestamp? = nil
    ) {
        precondition(kind == .attempt || attempt == 0, "a deferral is released as the first attempt")
        self.id = id
        self.offsets = offsets
        self.attempt = attempt
        self.lease = lease
        self.countsBadge = countsBadge
        self.kind = kind
        self.cap = cap
        self.deadline = deadline
    }
}

/// Result of a claim for one device.
package enum ClaimAnswer: Hashable, Sendable {
    /// The claim succeeded. The badge is nil if none is counted.
    case claimed(badge: UInt32?)
    /// It has ended, and its result may not have been published.
    case ended(DeliveryState)
    /// It has ended, and its result is on `results`; nothing to do.
    case reported
    /// Another claim holds it, and its lease expires after this time: do not send it, and claim again then. Also for
    /// the release of a device that is not deferred yet.
    case held(for: Duration)
    /// It has got as many pushes as its cap allows, and keeps its state. It may get the next one at this time.
    case capped(until: Timestamp)
    /// A later attempt has it, or it waits for the release of its deferral; nothing to do.
    case superseded
    /// It was never marked: the ledger and the message do not match.
    case unmarked

    package var isHeld: Bool {
        guard case .held = self else { return false }
        return true
    }
}

package enum ClaimVerdict: Hashable, Sendable {
    /// One answer for each offset of the request.
    case answers([ClaimAnswer])
    /// There is no ledger: nothing may be sent.
    case missing
}

package enum MarkVerdict: Hashable, Sendable {
    /// Those of the marked devices that have neither ended nor are deferred, to be sent on. A repeated mark returns
    /// them again.
    case open(SegmentSet)
    /// The task was cancelled: all are ended.
    case cancelled
    /// There is no plan, or the segment or the task is closed: nothing may be sent.
    case missing
}

package struct OutcomeDetail: Hashable, Sendable {
    package let state: DeliveryState
    package let attempt: UInt8
    package let time: Timestamp
    /// The provider's status; zero without a response.
    package let status: UInt16
    /// The provider's reason or ours, truncated to its limit.
    package let reason: String
    /// For a waiting or deferred device, the earliest time of the next attempt.
    package let due: Timestamp?

    package init(
        state: DeliveryState, attempt: UInt8, time: Timestamp, status: UInt16, reason: String, due: Timestamp? = nil
    ) {
        self.state = state
        self.attempt = attempt
        self.time = time
        self.status = status
        self.reason = reason
        self.due = state == .waiting || state == .deferred ? due : nil
    }
}

/// Results of one claim. Devices it does not name stay claimed.
package struct Settlement: Hashable, Sendable {
    /// Devices that all reached the same terminal state, or all wait.
    package struct Group: Hashable, Sendable {
        package let offsets: [UInt16]
        /// Terminal, or `waiting`.
        package let state: DeliveryState
        /// For `waiting` the next attempt, which is the present one if nothing was sent; otherwise the present one.
        /// Never taken for less than the claim's.
        package let attempt: UInt8
        package let status: UInt16
        package let reason: String
        /// For `waiting`: when the next attempt is due.
        package let due: Timestamp?
        /// Under which the ended devices are counted; nil if it is not known.
        package let provider: PushProtocol?

        package init(
            offsets: [UInt16], state: DeliveryState, attempt: UInt8, status: UInt16 = 0, reason: String = "",
            due: Timestamp? = nil, provider: PushProtocol? = nil
        ) {
            self.offsets = offsets
            self.state = state
            self.attempt = attempt
            self.status = status
            self.reason = OutcomeReason.cut(reason)
            self.due = due
            self.provider = provider
        }
    }

    package let claim: ClaimID
    package let groups: [Group]
    /// When the push was submitted to the provider, stored as the time of each detail; nil for the time of settlement.
    package let attempted: Timestamp?

    package init(claim: ClaimID, groups: [Group], attempted: Timestamp? = nil) {
        self.claim = claim
        self.groups = groups
        self.attempted = attempted
    }
}

package enum SettleVerdict: Hashable, Sendable {
    /// Devices the claim no longer held, which keep their state.
    case settled(refused: SegmentSet)
    case missing
}

package struct LedgerSnapshot: Hashable, Sendable {
    package let counts: StateCounts
    package let isCancelled: Bool
    /// In the order of offsets; only marked devices.
    package let states: [UInt16: DeliveryState]

    package init(counts: StateCounts, isCancelled: Bool, states: [UInt16: DeliveryState]) {
        self.counts = counts
        self.isCancelled = isCancelled
        self.states = states
    }
}

package struct TaskProgress: Hashable, Sendable {
    package let plan: TaskPlan
    package let jobsResolved: Int
    package let isCancelled: Bool
    /// Current counts of closed and open segments.
    package let counts: StateCounts
    /// Devices of closed segments that settlements ended, by the provider that these name.
    package let providers: [PushProtocol: OutcomeCounts]
    /// Why devices of closed segments were not delivered, as far as senders recorded it.
    package let reasons: ReasonCounts
    /// Entries of the task's list that name no device of the app, as far as jobs are resolved.
    package let unmatched: Int
    /// Segments that may still have open devices, in rising order.
    package let open: [SegmentNumber]
    /// When the last segment was closed; the counts are final.
    package let closed: Timestamp?

    package init(
        plan: TaskPlan, jobsResolved: Int, isCancelled: Bool, counts: StateCounts,
        providers: [PushProtocol: OutcomeCounts] = [:], reasons: ReasonCounts = ReasonCounts(), unmatched: Int = 0,
        open: [SegmentNumber] = [], closed: Timestamp?
    ) {
        self.plan = plan
        self.jobsResolved = jobsResolved
        self.isCancelled = isCancelled
        self.counts = counts
        self.providers = providers
        self.reasons = reasons
        self.unmatched = unmatched
        self.open = open
        self.closed = closed
    }

    package var openSegments: [SegmentID] { open.map { SegmentID(plan.app, number: $0) } }
    package var hasResolvedAllJobs: Bool { jobsResolved == plan.jobs }
}
