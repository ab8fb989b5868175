import Apps
import HTTPServer
import PushModel
import ServiceKit
import TaskModel

/// `/event/:event`: events of publishers become tasks.
struct EventRoutes: Sendable {
    static let bodyBytesMaximum = 64 << 10

    private let submission: TaskSubmission
    private let drops: EventDrops

    init(submission: TaskSubmission, drops: EventDrops) {
        self.submission = submission
        self.drops = drops
    }

    /// 204 once the task is durable. An event that pushd would have dropped after its answer is dropped with the same
    /// answer, which says why.
    @Sendable func publish(_ call: PushdCall) async throws -> HTTPResponse {
        let event = try call.event()
        let target = EventTarget(event)
        try call.caller.require(target.scope)
        let fields = try await call.fields().object
        do {
            let draft = try EventForm(fields, event: event.text).draft(for: target, app: call.caller.app)
            return try await submission.submit(
                call.request, of: call.caller, key: SubmissionKey(header: call.request), drafts: { _ in [draft] },
                answer: { accepted($0[0], call: call) })
        } catch {
            guard let drop = EventDrop(error) else { throw error }
            drops.note(drop, of: event)
            return HTTPResponse(.noContent, headers: [HTTPField(EventDrop.header, drop.headerValue)])
        }
    }

    private func accepted(_ task: PushTask, call: PushdCall) -> HTTPResponse {
        HTTPResponse(.noContent, headers: [HTTPField("Location", "\(call.base)/v1/tasks/\(task.id)")])
    }
}
