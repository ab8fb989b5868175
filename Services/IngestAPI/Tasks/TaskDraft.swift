import Apps
import JSONKit
import PushModel
import ServiceKit
import Signing
import TaskModel
import Topics

/// The content of a request in any dialect, before it becomes a task.
struct TaskDraft: Sendable, Equatable {
    var dialect = TaskDialect.native
    var audience: Audience?
    /// The whole list, of any length.
    var entries: [TargetEntry] = []
    var content = TaskContent()
    /// True if the entries have contents of their own, and `content` only names the platforms of all of them.
    var hasListedContents = false
    var options = TaskOptions()
    var timing = DraftTiming()
    /// The key of tasks of which the last accepted counts; valid.
    var replaces: String?
    var labels = TaskLabels()
    var reported = JSONObject()

    /// The task without its list, which the caller adds.
    func task(_ id: TaskID, of caller: AuthorizedCaller, created: Timestamp) -> PushTask {
        var task = PushTask(id: id, app: caller.app.id, created: created)
        task.sendAt = timing.sendAt(acceptedAt: created)
        task.window = timing.window(acceptedAt: created, campaign: labels.campaign, in: caller.app.id)
        if let window = task.window, window.awaitsMoment { task.sendAt = window.latestRelease }
        task.rules = timing.rules(of: caller.app, acceptedAt: created)
        task.replaces = replaces.flatMap { try? ReplacementKey($0, of: caller.app.id) }
        task.labels = labels
        task.credential = caller.credential
        task.dialect = dialect
        task.target.audience = audience
        task.content = content
        task.hasListedContents = hasListedContents
        task.content.fallbackLanguage = content.hasMessage ? caller.app.defaults.language : nil
        task.content.navigate = content.targetedPlatforms.contains(.web) ? caller.app.defaults.navigate : nil
        task.options = options
        let targeted = task.targetedPlatforms
        task.unprovided = Set(
            PushProtocol.supported.filter { !caller.app.providers.has($0) && targeted.contains(Platform($0)) })
        task.receiptKey = caller.app.receiptKey?.taskKey(of: id)
        task.reported = reported
        return task
    }
}

extension TaskDraft {
    /// The scope the caller needs for this draft.
    var scope: Scope { Scope(toReach: audience) }

    /// One draft for each user, who has moments of its own; the draft itself if it has no window.
    var forEachUser: [TaskDraft] {
        guard let window = timing.window else { return [self] }
        return entries.compactMap { entry in
            guard case .alias(let user) = entry else { return nil }
            var draft = self
            draft.entries = [entry]
            draft.timing.window = window.of(user)
            return draft
        }
    }

    /// True if their payloads are the same, for whichever devices.
    func isRendered(like other: TaskDraft) -> Bool {
        content == other.content && options == other.options && labels == other.labels && reported == other.reported
    }

    var hasSavedAudience: Bool { audience?.savedNames.isEmpty == false }
}

extension Scope {
    /// An audience that can include devices subscribed to none of its topics needs the scope for all devices.
    init(toReach audience: Audience?) {
        guard let audience, audience.necessaryTopics == nil else {
            self = .publish
            return
        }
        self = .broadcast
    }
}
