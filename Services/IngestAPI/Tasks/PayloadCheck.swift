import Apps
import JSONKit
import PushModel
import Rendering
import ServiceKit
import TaskModel
import Topics

/// Refuses payloads that a provider would reject before the task is accepted: the task is rendered in each of its
/// languages, as it will be for its devices.
struct PayloadCheck: Sendable {
    let time: any TimeSource

    /// The task id is a placeholder: all ids have the same length.
    func check(_ draft: TaskDraft, of caller: AuthorizedCaller) throws(TaskError) {
        try check(draft.task(TaskID(high: 0, low: 0), of: caller, created: time.now), of: caller.app)
    }

    func check(_ task: PushTask, of app: PushApp) throws(TaskError) {
        let problems = JSONProblems()
        let kinds = PayloadCheck.kinds(of: app.providers, for: task.content)
        for flaw in TaskRendering(task, now: time.now).checkLimits(of: kinds) {
            problems.add(flaw.path, message: flaw.message)
        }
        guard problems.all.isEmpty else { throw .invalid(problems.all) }
    }

    /// The app's own protocols, since a provider the app lacks must not limit its payloads. A platform for which the
    /// app has no provider is checked against the first protocol of that platform if it has a message or payload of its
    /// own, which may have mistakes, or if the app can send to none of the platforms.
    static func kinds(of providers: ProviderCredentials, for content: TaskContent) -> [PushProtocol] {
        let targeted = content.targetedPlatforms
        let own = PushProtocol.supported.filter { providers.has($0) }
        let reached = Set(own.map { Platform($0) })
        let reachesNone = targeted.isDisjoint(with: reached)
        let missing = Platform.supported.filter { platform in
            !reached.contains(platform) && (reachesNone || content.ownField(of: platform) != nil)
        }
        return own + missing.compactMap { platform in PushProtocol.supported.first { Platform($0) == platform } }
    }
}
