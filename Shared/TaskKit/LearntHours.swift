package import LocalTime
import PushModel
package import ServiceKit
package import Store
package import TaskModel

/// When tasks are sent that wait for a moment which their user's app does not report: at the hour at which the user
/// opens pushes.
package struct LearntHours: Sendable {
    private let opens: any UserOpens
    private let catalog: TimeZoneCatalog
    private let chosen: Counter

    package init(_ opens: any UserOpens, catalog: TimeZoneCatalog = TimeZoneCatalog(), metrics: Metrics) {
        self.opens = opens
        self.catalog = catalog
        chosen = metrics.counter(.schedulerLearntHours)
    }

    /// Nil if nothing is learnt yet, or not about the hours between now and the latest release.
    package func release(
        of task: PushTask, window: DeliveryWindow, at now: Timestamp
    ) async throws(StoreError) -> Timestamp? {
        let start = max(now, window.opens)
        guard window.awaitsMoment, start < window.latestRelease else { return nil }
        let user = UserKey(window.user, of: task.app)
        guard let record = try await opens.record(of: user) else { return nil }
        guard let hour = BestHour(record, campaign: CampaignDigest(of: task.labels.campaign)) else { return nil }
        let rules = catalog.rules(named: record.zone) ?? .utc
        return hour.time(from: start, to: window.latestRelease, in: rules, place: user.place)
    }

    /// The time is that of a task now.
    package func noteChosen() {
        chosen.increment()
    }
}

extension UserKey {
    /// The same for all tasks of the user, and on every machine.
    fileprivate var place: UInt64 {
        [Array(app.text.utf8), [0], Array(user.value.utf8)].joined().reduce(0) { SplitMix64.mixed($0 ^ UInt64($1)) }
    }
}
