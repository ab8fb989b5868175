package import LocalTime
package import PushModel
package import ServiceKit

/// When the devices of a task may be sent to. Frozen when the task is accepted, so that a later change of the app's
/// file does not change what its devices wait for.
package struct DeliveryRules: Sendable, Equatable {
    /// What becomes of a device that is reached in its quiet hours. The raw value is used in messages and must not
    /// change.
    package enum QuietPolicy: String, Sendable {
        /// It waits until they are over.
        case delay = "defer"
        /// It ends as suppressed.
        case skip
    }

    /// What becomes of a device that has got as many pushes as it may get. The raw value is used in messages and must
    /// not change.
    package enum CapPolicy: String, Sendable {
        /// It waits until it may get another.
        case delay = "defer"
        /// It ends as suppressed.
        case skip
    }

    package static let fallbackZone = "UTC"
    /// A local time that passed by less than this before the task was accepted means immediately.
    package static let localLatenessMaximum = Duration.seconds(3_600)

    /// How long a device may wait because of a rate.
    package static let paceMaximum = Duration.seconds(7 * 86_400)

    /// When the task was accepted.
    package let accepted: Timestamp
    /// Each device is sent to when its own clock shows this time.
    package var localTime: LocalDateTime?
    /// Nil if the app has none, or the task ignores them.
    package var quietHours: QuietHours?
    package var quietPolicy = QuietPolicy.delay
    /// Of devices whose time zone is unknown.
    package var timeZone = fallbackZone
    /// Pushes a second of the task, and of its app with all tasks; nil for no limit.
    package var rate: Int?
    package var appRate: Int?
    /// Of the task's group with all tasks; nil for a task without a group.
    package var group: GroupRate?
    /// Nil if the app has none, or the task ignores it.
    package var cap: PushCap?
    package var capPolicy = CapPolicy.delay

    package init(accepted: Timestamp) {
        self.accepted = accepted
    }

    package var areEmpty: Bool { !areTimed && cap == nil && !hasRate }
    /// True if a device's clock decides when it may be sent to.
    package var areTimed: Bool { localTime != nil || quietHours != nil }

    private var hasRate: Bool { rate != nil || group != nil || appRate != nil }

    /// The rates that pushes of the task keep, the narrowest scope first: a sender waits for a slot of each in turn, and
    /// takes that of the widest last, so that it is not over while the push waits for another one.
    package func rates(of task: TaskID, in app: AppID) -> [PushRate] {
        [
            rate.map { PushRate($0, of: .task(task)) },
            group.map { PushRate($0.perSecond, of: .group(app, $0.id)) },
            appRate.map { PushRate($0, of: .app(app)) },
        ].compactMap { $0 }
    }

    /// When the life of the last device may begin, for a task that begins at this time.
    package func latestBeginning(of begins: Timestamp) -> Timestamp {
        // A device that waited for its cap may come in quiet hours.
        latestCapEnd(of: begins).map { $0 + quietWait } ?? latestUncapped(of: begins)
    }

    /// Until when a device may wait for its cap, in a task that begins at this time: for a period, and an hour in which
    /// the device is reached for the first time. Nil if none may wait.
    package func latestCapEnd(of begins: Timestamp) -> Timestamp? {
        guard let cap, capPolicy == .delay else { return nil }
        return latestUncapped(of: begins) + cap.period + .seconds(3_600)
    }

    private func latestUncapped(of begins: Timestamp) -> Timestamp {
        max(begins, localTime?.latestInstant ?? begins) + quietWait + rateWait
    }

    private var rateWait: Duration { hasRate ? DeliveryRules.paceMaximum : .zero }

    /// Quiet hours are shorter than a day; a change of the clock may lengthen the wait by an hour or two.
    private var quietWait: Duration { quietHours != nil && quietPolicy == .delay ? .seconds(26 * 3_600) : .zero }
}
