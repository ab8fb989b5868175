import Apps
import HTTPServer
import JSONKit
import PushModel
import ServiceKit
import TaskModel

/// Richie's Push API: one route, in which `app_id` selects the app. `docs/richie.md` describes it.
struct RichieDialect: Sendable {
    /// The only scheme that Richie's clients support.
    private static let challenges = ["Basic realm=\"carillon\", charset=\"UTF-8\""]
    private static let scopes: [Scope] = [.publish, .broadcast]

    let gatekeeper: Gatekeeper
    let submission: TaskSubmission
    let payloads: PayloadCheck
    let reading: BodyReading
    let log: RefusalLog

    func addRoutes(to router: inout HTTPRouter) {
        router.on(.post, pattern: "/push/v2/admin/task", bodyBytesMaximum: TaskLimits.bodyBytesMaximum, admit: admit)
    }

    @Sendable private func admit(_ request: HTTPRequest) -> HTTPAdmission {
        do {
            let access = try gatekeeper.access(of: request, with: RichieDialect.scopes)
            return .admitted(account: access.keyID) { request in
                do {
                    return try await create(request, access: access)
                } catch {
                    return refusal(error)
                }
            }
        } catch {
            return .refused(refusal(error))
        }
    }

    private func refusal(_ error: any Error) -> HTTPResponse {
        TaskError(error, log: log).response(challenges: RichieDialect.challenges)
    }

    private func create(_ request: HTTPRequest, access: Access) async throws -> HTTPResponse {
        let (form, caller) = try await reading.read(request, account: access.keyID) { [self] in
            try read(request, access: access)
        }
        let defaults = caller.app.defaults
        let missing = MissingProviders(app: caller.app)
        return try await submission.accept(
            request, of: caller, draft: { form.draft($0.id, defaults: defaults) },
            answer: { RichieDialect.created($0, warnings: form.warnings + missing.warnings(of: $0.content)) })
    }

    /// Authorization comes first: without a scope in the app named in the body, the rest of the body is not read.
    private func read(_ request: HTTPRequest, access: Access) throws -> (RichieForm, AuthorizedCaller) {
        let problems = JSONProblems()
        let fields = try JSONBody.fields(request, problems: problems)
        guard let appID = fields.text("app_id", isRequired: true) else { throw TaskError.invalid(problems.all) }
        let caller = try gatekeeper.admit(access, from: request.peer, for: RichieDialect.scopes) {
            access.choose(.richie, identifier: appID, scope: $0)
        }
        let form = try RichieForm(fields, appID: appID, authorize: caller.require)
        guard problems.all.isEmpty else { throw TaskError.invalid(problems.all) }
        let draft = form.draft(TaskID(high: 0, low: 0), defaults: caller.app.defaults)
        payloads.check(draft, of: caller, problems: problems)
        guard problems.all.isEmpty else { throw TaskError.invalid(problems.all) }
        return (form, caller)
    }

    private static func created(_ task: PushTask, warnings: [JSONProblems.Problem]) -> HTTPResponse {
        let body = JSONText.object { json in
            json.member("task_id", "\(task.id)")
            if !warnings.isEmpty { json.member("warnings", json: warnings.text) }
        }
        var response = HTTPResponse.json(body, status: .created)
        // Below `/apps/`, so that a key with several apps can read it too.
        response.headers.append(HTTPField("Location", "/apps/\(task.app)/v1/tasks/\(task.id)"))
        return response
    }
}
