import Apps
import LocalTime
import PushModel
import ServiceKit
import TaskModel

/// When a draft is to be sent.
struct DraftTiming: Sendable, Equatable {
    /// What a task does with the quiet hours of its app.
    enum QuietChoice: Sendable, Equatable {
        case obey(DeliveryRules.QuietPolicy)
        case ignore
    }

    /// What a task does with the cap of its app.
    enum CapChoice: Sendable, Equatable {
        case obey(DeliveryRules.CapPolicy)
        case ignore
    }

    /// At most one of `sendAt` and `localTime` is given; neither means immediately.
    var sendAt: Timestamp?
    var localTime: LocalDateTime?
    /// Begins at `sendAt`, else when the draft is accepted; not together with `localTime`.
    var window: DraftWindow?
    var quietHours = QuietChoice.obey(.delay)
    var cap = CapChoice.obey(.delay)
    /// Pushes a second; nil for no limit.
    var rate: Int?
    /// The group whose rate the task keeps with others.
    var group: GroupRate?

    /// The task waits until then: until its local time comes in the first time zone. Nil if that time is over.
    func sendAt(acceptedAt accepted: Timestamp) -> Timestamp? {
        (sendAt ?? localTime?.earliestInstant).flatMap { $0 > accepted ? $0 : nil }
    }

    /// The campaign is what the users of a comparison are divided in.
    func window(acceptedAt accepted: Timestamp, campaign: String, in app: AppID) -> DeliveryWindow? {
        window?.window(from: max(sendAt ?? accepted, accepted), campaign: campaign, in: app)
    }

    func rules(of app: PushApp, acceptedAt accepted: Timestamp) -> DeliveryRules {
        var rules = DeliveryRules(accepted: accepted)
        rules.localTime = localTime
        if case .obey(let policy) = quietHours {
            rules.quietHours = app.quietHours
            rules.quietPolicy = policy
        }
        if case .obey(let policy) = cap, let cap = app.limits.pushesPerDevice {
            rules.cap = cap
            rules.capPolicy = policy
        }
        if let zone = app.quietHours?.timeZone, rules.areTimed { rules.timeZone = zone }
        rules.rate = rate
        rules.group = group
        rules.appRate = app.limits.devicesPerSecond
        return rules
    }

    /// Refuses times that are too far ahead or long over.
    func check(acceptedAt accepted: Timestamp) throws(TaskError) {
        let latest = accepted + TaskLimits.scheduleMaximum
        if let sendAt {
            if sendAt > latest { throw .invalidField("send_at", message: DraftTiming.tooFar) }
            if sendAt + TaskLimits.scheduleLatenessMaximum < accepted {
                throw .invalidField("send_at", message: "expected a time in the future; \(sendAt) is over")
            }
        }
        try window?.check(from: sendAt ?? accepted, acceptedAt: accepted)
        if let localTime {
            if localTime.earliestInstant > latest { throw .invalidField("send_at_local", message: DraftTiming.tooFar) }
            if localTime.latestInstant + DeliveryRules.localLatenessMaximum < accepted {
                throw .invalidField(
                    "send_at_local", message: "expected a time in the future; \(localTime) is over in every time zone")
            }
        }
    }

    private static let tooFar = "expected a time at most 90 days ahead"
}
