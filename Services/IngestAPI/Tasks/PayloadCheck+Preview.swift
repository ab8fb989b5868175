import Apps
import JSONKit
import PushModel
import Rendering
import ServiceKit
import TaskModel

extension PayloadCheck {
    /// Each costs as much as a variant of a task.
    static let previewsMaximum = 64

    /// What providers would get, and why the task would be refused.
    func preview(_ draft: TaskDraft, of caller: AuthorizedCaller) -> TaskPreview {
        let now = time.now
        let task = draft.task(TaskID(high: 0, low: 0), of: caller, created: now)
        let kinds = PayloadCheck.kinds(of: caller.app.providers, for: task.content)
        let rendering = TaskRendering(task, now: now)
        let flaws = rendering.checkLimits(of: kinds).map {
            JSONProblems.Problem(path: $0.path, message: $0.message)
        }
        return TaskPreview(
            previews: rendering.previews(of: kinds, countMaximum: PayloadCheck.previewsMaximum),
            problems: PayloadCheck.problems(of: draft.timing, acceptedAt: now) + flaws)
    }

    private static func problems(of timing: DraftTiming, acceptedAt now: Timestamp) -> [JSONProblems.Problem] {
        do throws(TaskError) {
            try timing.check(acceptedAt: now)
            return []
        } catch {
            guard case .invalid(let problems) = error else { return [] }
            return problems
        }
    }
}
