import Apps
import HTTPServer
import JSONKit
import PushModel
import ServiceKit
import TaskModel

/// `startLiveActivity` and `updateLiveActivity`: each notification of a request starts or changes one activity, and
/// either all of them are accepted or none.
struct PushwooshPublishing: Sendable {
    static let notificationsMaximum = 100
    /// Apple's limit.
    static let payloadBytesMaximum = 4 << 10
    private static let notifications = "notifications"

    let activities: ActivityPublishing
    let audiences: AudienceBook
    let reading: PushwooshReading

    var routes: [DialectRoute] {
        [("startLiveActivity", start), ("updateLiveActivity", update)].map { name, handler in
            DialectRoute(
                method: .post, pattern: "/json/1.3/\(name)", scopes: [.publish, .broadcast],
                bodyBytesMaximum: TaskLimits.bodyBytesMaximum, handler: .appAndKeyInBody(.pushwoosh, handler))
        }
    }

    @Sendable func start(_ request: HTTPRequest, from sender: BodyKeyCaller) async throws -> HTTPResponse {
        let freshID: @Sendable () throws -> ActivityID = { [activities] in
            try ActivityID("\(activities.submission.freshID())")
        }
        let call = try await reading.read(request, of: sender) { fields, caller -> [ActivityDraft]? in
            try PushwooshPublishing.forms(in: fields) { notification in
                try PushwooshStartForm(notification, app: caller.app).draft(
                    id: freshID(), authorize: caller.require)
            } id: {
                $0.id
            }
        }
        var drafts = call.form
        for place in drafts.indices {
            guard let audience = drafts[place].target.audience, drafts[place].target.hasSavedAudience else { continue }
            drafts[place].target.audience = try await expand(audience, of: call.caller, place: place)
            try call.caller.require(drafts[place].target.scope)
        }
        do {
            return try await activities.start(
                drafts, in: request, of: call.caller, key: SubmissionKey(header: request),
                answer: { PushwooshAnswer.messages($0.map(\.id)) })
        } catch TaskError.invalid(let problems) {
            throw TaskError.invalid(problems.map { PushwooshPublishing.renamed($0) })
        }
    }

    @Sendable func update(_ request: HTTPRequest, from sender: BodyKeyCaller) async throws -> HTTPResponse {
        let call = try await reading.read(request, of: sender) { fields, _ in
            try PushwooshPublishing.forms(in: fields, read: { PushwooshUpdateForm($0) }, id: { $0.activity })
        }
        let changes = call.form.map { form in
            ActivityPublishing.Change(
                activity: form.activity, isEnd: form.isEnd, state: { form.state(of: $0, stamp: $1) })
        }
        do {
            return try await activities.put(
                changes, in: request, of: call.caller, key: SubmissionKey(header: request),
                answer: { PushwooshAnswer.messages($0.map(\.task)) })
        } catch TaskError.invalid(let problems) {
            throw TaskError.invalid(problems.map { PushwooshPublishing.renamed($0) })
        }
    }

    /// One for each notification; nil if there are problems.
    private static func forms<Form>(
        in fields: JSONFields, read: (JSONFields) throws -> Form?, id: (Form) -> ActivityID
    ) throws -> [Form]? {
        var forms: [Form] = []
        var ids: Set<ActivityID> = []
        let elements = fields.elements(
            notifications, countMinimum: 1, countMaximum: notificationsMaximum, isRequired: true)
        for element in elements {
            guard let notification = element.fields, let form = try read(notification) else { continue }
            forms.append(form)
            if !ids.insert(id(form)).inserted {
                notification.reject(
                    "live_activity_id", message: "twice in this request; send one request after another")
            }
        }
        fields.rejectUnknown()
        return fields.problems.all.isEmpty ? forms : nil
    }

    private func expand(_ audience: Audience, of caller: AuthorizedCaller, place: Int) async throws -> Audience {
        do {
            return try await audiences.expand(audience, in: caller.app.id)
        } catch TaskError.invalid(let problems) {
            let path = "request.\(PushwooshPublishing.notifications)[\(place)].filter_code"
            throw TaskError.invalid(problems.map { JSONProblems.Problem(path: path, message: $0.message) })
        }
    }

    /// The field of the request that a task's field was made of.
    private static func renamed(_ problem: JSONProblems.Problem) -> JSONProblems.Problem {
        let places = [
            ("content_state", "live_activity.content-state"), ("message.title", "title"), ("message", "content"),
        ]
        let place = places.first { problem.path == $0.0 || problem.path.hasPrefix("\($0.0).") }
        return JSONProblems.Problem(path: place?.1 ?? problem.path, message: problem.message)
    }
}
