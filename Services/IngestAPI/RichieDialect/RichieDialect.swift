import Apps
import HTTPServer
import JSONKit
import PushModel
import ServiceKit
import TaskModel

/// Richie's Push API: one route, in which `app_id` selects the app. `docs/richie.md` describes it.
struct RichieDialect: Dialect {
    /// The only scheme that Richie's clients support.
    private static let challenges = ["Basic realm=\"carillon\", charset=\"UTF-8\""]
    private static let scopes: [Scope] = [.publish, .broadcast]

    let submission: TaskSubmission
    let reading: BodyReading
    let log: RefusalLog

    var routes: [DialectRoute] {
        [
            DialectRoute(
                method: .post, pattern: "/push/v2/admin/task", scopes: RichieDialect.scopes,
                bodyBytesMaximum: TaskLimits.bodyBytesMaximum, handler: .appInBody(.richie, create))
        ]
    }

    func refusal(_ error: any Error) -> HTTPResponse {
        TaskError(error, log: log).response(challenges: RichieDialect.challenges)
    }

    @Sendable private func create(_ request: HTTPRequest, unnamed: UnnamedCaller) async throws -> HTTPResponse {
        let (form, caller) = try await reading.readJSON(request, account: unnamed.account) { fields in
            try read(fields, unnamed: unnamed)
        }
        let defaults = caller.app.defaults
        let missing = MissingProviders(app: caller.app)
        return try await submission.submit(
            request, of: caller, key: SubmissionKey(header: request),
            drafts: { seed in [form.draft(seed.id, defaults: defaults)] },
            answer: { tasks in
                RichieDialect.created(tasks[0], warnings: form.warnings + missing.warnings(of: tasks[0].content))
            })
    }

    /// Authorization comes first: without a scope in the app named in the body, the rest of the body is not read.
    private func read(
        _ fields: JSONFields, unnamed: UnnamedCaller
    ) throws -> (RichieForm, AuthorizedCaller) {
        guard let appID = fields.text("app_id", isRequired: true) else { throw TaskError.invalid(fields.problems.all) }
        let caller = try unnamed.name(appID)
        return (try RichieForm(fields, appID: appID, authorize: caller.require), caller)
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
