import Apps
import HTTPServer
import JSONKit
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel

/// `/v1/activities` and the routes below it.
struct ActivityRoutes: Sendable {
    private static let pageLimits = 1...100
    private static let pageLimit = 20

    let publishing: ActivityPublishing
    let devices: ActivityDevices
    let book: ActivityBook
    let audiences: AudienceBook
    let reading: BodyReading

    var routes: [DialectRoute] {
        let path = "/v1/activities"
        let publishers: [Scope] = [.publish, .broadcast]
        return [
            DialectRoute(
                method: .post, pattern: path, scopes: publishers, query: [],
                bodyBytesMaximum: TaskLimits.bodyBytesMaximum, handler: .appInPath(start)),
            DialectRoute(
                method: .get, pattern: path, scopes: [.read], query: ["limit", "before"], handler: .appInPath(list)),
            DialectRoute(
                method: .get, pattern: "\(path)/:activity", scopes: [.read], query: [], handler: .appInPath(read)),
            DialectRoute(
                method: .patch, pattern: "\(path)/:activity", scopes: publishers, query: [],
                bodyBytesMaximum: ActivityFields.bodyBytesMaximum, handler: .appInPath(update)),
            DialectRoute(
                method: .post, pattern: "\(path)/:activity/end", scopes: publishers, query: [],
                bodyBytesMaximum: ActivityFields.bodyBytesMaximum, handler: .appInPath(end)),
            DialectRoute(
                method: .get, pattern: "\(path)/:activity/devices", scopes: [.read], query: ["limit", "after"],
                handler: .appInPath(listDevices)),
        ]
    }

    @Sendable func start(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        let generated = try ActivityID("\(publishing.submission.freshID())")
        let given = try await reading.readJSON(call.request, account: call.caller.account) { fields in
            try ActivityStartForm(fields).draft(id: generated, authorize: call.caller.require)
        }
        // Without problems there is a draft.
        guard var draft = given else { throw TaskError.unexpected }
        if let audience = draft.target.audience, draft.target.hasSavedAudience {
            draft.target.audience = try await audiences.expand(audience, in: call.app)
            try call.caller.require(draft.target.scope)
        }
        let id = draft.id
        return try await publishing.start(
            draft, in: call.request, of: call.caller, key: SubmissionKey(header: call.request)
        ) { task in
            let body = JSONText.object { json in
                json.member("id", id.text)
                json.member("task", "\(task.id)")
                let warnings = MissingProviders(app: call.caller.app).warnings(of: task.content)
                if !warnings.isEmpty { json.member("warnings", json: warnings.text) }
            }
            var response = HTTPResponse.json(body, status: .created)
            let path = "\(call.base)/v1/activities/\(PercentEncoding.encode(id.text))"
            response.headers.append(HTTPField("Location", path))
            return response
        }
    }

    @Sendable func update(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        try await put(call, isEnd: false)
    }

    @Sendable func end(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        try await put(call, isEnd: true)
    }

    private func put(_ call: AuthorizedRequest, isEnd: Bool) async throws -> HTTPResponse {
        let id = try id(call)
        let form = try await reading.readJSON(call.request, account: call.caller.account) { fields in
            ActivityUpdateForm(fields, isEnd: isEnd)
        }
        return try await publishing.put(
            id, isEnd: isEnd, in: call.request, of: call.caller, key: SubmissionKey(header: call.request),
            state: { form.state(of: $0, stamp: $1) },
            answer: { update in
                let body = JSONText.object { json in
                    json.member("id", update.activity.text)
                    json.member("task", "\(update.task)")
                    json.member("due", json: update.due.map { JSONText.quoted("\($0)") } ?? "null")
                }
                return .json(body, status: .accepted)
            })
    }

    @Sendable func read(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        let activity = try await activity(call)
        let clock = try await book.clock(of: activity.id, in: call.app.activities)
        return .json(ActivityAnswer.text(of: activity, clock: clock, at: book.now))
    }

    @Sendable func list(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        let limit = try call.request.limit(
            in: ActivityRoutes.pageLimits, default: ActivityRoutes.pageLimit)
        let last = try ActivityPage.place(call.request.queryValue("before"))
        let places = try await book.places(after: last, limit: limit, in: call.app.activities)
        let activities = try await places.concurrentMap(atOnce: DeviceBook.atOnceMaximum) { place in
            try await book.activity(place.activity, in: call.app.activities)
        }
        return .json(
            JSONText.object { json in
                let texts = activities.compactMap { $0.map { ActivityAnswer.outline(of: $0) } }
                json.member("activities", json: "[" + texts.joined(separator: ",") + "]")
                let next = places.count == limit ? places.last : nil
                json.member("next", json: next.map { JSONText.quoted(ActivityPage.text(of: $0)) } ?? "null")
            })
    }

    @Sendable func listDevices(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        let activity = try await activity(call)
        let limit = try call.request.limit(
            in: ActivityRoutes.pageLimits, default: ActivityRoutes.pageLimit)
        let after = try call.request.queryValue("after").map { text in
            guard let id = DeviceID(text) else {
                throw TaskError.invalidField("after", message: "expected the value of next of the page before")
            }
            return id.index
        }
        let page = try await devices.page(of: activity.id, after: after, limit: limit, in: call.app.activities)
        return .json(page)
    }

    private func activity(_ call: AuthorizedRequest) async throws -> KnownActivity {
        let id = try id(call)
        guard let activity = try await book.activity(id, in: call.app.activities) else {
            throw TaskError.unknownActivity(id)
        }
        return activity
    }

    private func id(_ call: AuthorizedRequest) throws -> ActivityID {
        do throws(InvalidValueError) {
            return try ActivityID(call.request.parameter("activity"))
        } catch {
            throw TaskError.invalidField("activity", message: error.description)
        }
    }
}
