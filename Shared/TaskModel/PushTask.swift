package import JSONKit
package import PushModel
package import ServiceKit

/// A push task of a publisher in any dialect: target, content and options.
package struct PushTask: Sendable, Equatable {
    package let id: TaskID
    package let app: AppID
    package let created: Timestamp
    /// When it is to be sent, if later than it was accepted; until then it waits in `schedules` and the scheduler's
    /// index.
    package var sendAt: Timestamp?
    /// Nil for a task that is sent at its time.
    package var window: DeliveryWindow?
    /// True if it was cancelled before it was released: it has neither an audience nor a list.
    package private(set) var isWithdrawn = false
    /// Of the tasks with this key the last accepted counts.
    package var replaces: ReplacementKey?
    /// For statistics; nothing else depends on them.
    package var labels = TaskLabels()
    /// The id of the key that posted the task; empty if the caller was authorized by its address.
    package var credential = ""
    package var dialect = TaskDialect.native
    package var target = TaskTarget()
    package var content = TaskContent()
    /// True if the entries of its list have contents of their own, in the parts of the list. Then its content has
    /// nothing but the platforms of all of them, and it has no audience.
    package var hasListedContents = false
    package var options = TaskOptions()
    package var rules: DeliveryRules
    /// Protocols without a provider when the task was accepted. Their limits were not checked.
    package var unprovided: Set<PushProtocol> = []
    /// Frozen when the task is accepted; nil for tasks of earlier versions and without a pepper.
    package var receiptKey: TaskReceiptKey?
    /// Fields of the request that the dialect's report repeats.
    package var reported = JSONObject()

    package init(id: TaskID, app: AppID, created: Timestamp) {
        self.id = id
        self.app = app
        self.created = created
        rules = DeliveryRules(accepted: created)
    }

    /// Time for the single attempt of a task with a time to live of zero.
    package static let timeOfOneAttempt = Duration.seconds(600)

    /// The task that is released in place of one that was cancelled before.
    package var withdrawn: PushTask {
        var task = self
        task.target = TaskTarget()
        task.isWithdrawn = true
        return task
    }

    /// The platforms for which at least one device of the task may have a content.
    package var targetedPlatforms: Set<Platform> {
        hasListedContents ? content.platforms : content.targetedPlatforms
    }

    /// The task as it is rendered for the devices with one of its listed contents.
    package func with(_ listed: TaskContent) -> PushTask {
        var task = self
        task.content = listed
        task.hasListedContents = false
        return task
    }

    /// When the life of the task begins. Everything about it that ages is counted from here.
    package var begins: Timestamp { sendAt ?? created }

    /// A push replaces an earlier one with the same id on the screen. Tasks of one key share it; else a task has its
    /// own, so that a repeat replaces the first push.
    package var collapseID: String { options.collapseID ?? replaces?.text ?? "\(id)" }

    /// After the deadline nothing is sent, and open devices end as expired. The life of devices that wait begins later
    /// than the task's; this is the end of the last one.
    package var deadline: Timestamp { deadline(from: rules.latestBeginning(of: begins)) }

    /// The deadline of devices whose life begins at this time; nil for the task's.
    package func deadline(from begins: Timestamp?) -> Timestamp {
        deadline(after: options.timeToLive, from: begins)
    }

    /// The same for the devices of a platform, whose life may be shorter.
    package func deadline(on platform: Platform, from begins: Timestamp?) -> Timestamp {
        min(deadline(from: begins), deadline(after: timeToLive(on: platform), from: begins))
    }

    package func timeToLive(on platform: Platform) -> Duration {
        min(options.timeToLive, content.delivery(on: platform).timeToLive ?? options.timeToLive)
    }

    private func deadline(after timeToLive: Duration, from begins: Timestamp?) -> Timestamp {
        let end = (begins ?? self.begins) + (timeToLive > .zero ? timeToLive : PushTask.timeOfOneAttempt)
        return window.map { min(end, $0.ends) } ?? end
    }
}
