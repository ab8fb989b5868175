import Apps
import JSONKit
import PushModel
import Rendering
import ServiceKit
import TaskModel

/// Refuses what no provider would take, before it is accepted: the task is rendered in each of its languages, as it will
/// be for its devices.
struct PayloadCheck: Sendable {
    let time: any TimeSource

    /// Any id will do, as all have the same length.
    func check(_ draft: TaskDraft, of admission: AuthorizedCaller, problems: JSONProblems) {
        let now = time.now
        let task = draft.task(TaskID(high: 0, low: 0), of: admission, created: now)
        let kinds = PayloadCheck.kinds(of: admission.app.providers)
        for flaw in TaskRendering(task, now: now).checkLimits(of: kinds) {
            problems.add(flaw.path, message: flaw.message)
        }
    }

    /// The app's own, since a provider that it does not have must not bound what it sends. A platform for which it has
    /// none is checked for the first that there is.
    static func kinds(of providers: ProviderCredentials) -> [PushProtocol] {
        let own = TaskRendering.kinds.filter { providers.has($0) }
        var missing: [PushProtocol] = []
        for kind in TaskRendering.kinds where !(own + missing).contains(where: { Platform($0) == Platform(kind) }) {
            missing.append(kind)
        }
        return own + missing
    }
}
