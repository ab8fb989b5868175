import Apps
import HTTPServer
import JSONKit
import PushModel
import ServiceKit
import Store
import Topics

/// The groups of an app: create, list, read, change, archive, restore.
struct GroupRoutes: Sendable {
    /// A group that the caller has access to.
    private struct Found {
        let group: TransferGroup
        let app: AppID
        let appID: String
    }

    private static let bodyBytesMaximum = 16 * 1_024
    /// An id is one of two thousand million, of which an app has a thousand.
    private static let attemptsMaximum = 8

    // AppMetrica's clients have one key for all they do.
    private static let readingScopes: [Scope] = [.publish, .read]
    private static let changingScopes: [Scope] = [.publish, .admin]

    let groups: any TransferGroups
    let reading: BodyReading
    let room: StoreRoom
    let random: any RandomSource

    var routes: [DialectRoute] {
        let all = "/push/v1/management/groups"
        let one = "/push/v1/management/group/:id"
        return [
            route(.post, pattern: all, scopes: GroupRoutes.changingScopes, handler: create),
            route(.get, pattern: all, scopes: GroupRoutes.readingScopes, query: ["app_id"], handler: list),
            route(.get, pattern: one, scopes: GroupRoutes.readingScopes, handler: read),
            route(.put, pattern: one, scopes: GroupRoutes.changingScopes, handler: change),
            route(.delete, pattern: one, scopes: GroupRoutes.changingScopes) {
                try await set(isArchived: true, $0, unnamed: $1)
            },
            route(.post, pattern: "\(one)/restore", scopes: GroupRoutes.changingScopes) {
                try await set(isArchived: false, $0, unnamed: $1)
            },
        ]
    }

    private func route(
        _ method: HTTPMethod, pattern: String, scopes: [Scope], query: [String] = [],
        handler: @escaping @Sendable (HTTPRequest, UnnamedCaller) async throws -> HTTPResponse
    ) -> DialectRoute {
        .appMetrica(
            method, pattern: pattern, scopes: scopes, query: query, bodyBytesMaximum: GroupRoutes.bodyBytesMaximum,
            handler: handler)
    }

    @Sendable private func create(_ request: HTTPRequest, unnamed: UnnamedCaller) async throws -> HTTPResponse {
        let (form, app, appID) = try await reading.readJSON(request, account: unnamed.account) { fields in
            guard let group = fields.object("group", isRequired: true), let appID = GroupForm.appID(group) else {
                throw TaskError.invalid(fields.problems.all)
            }
            // Without a right in the app nothing else is read.
            let app = try unnamed.name("\(appID)").app.id
            fields.rejectUnknown()
            return (GroupForm(group), app, "\(appID)")
        }
        try room.check(.registering)
        for _ in 0..<GroupRoutes.attemptsMaximum {
            let id = Int64(random.next() % UInt64(TransferGroupBounds.ids.count)) + TransferGroupBounds.ids.lowerBound
            guard try await isFree(id, among: unnamed.apps) else { continue }
            let group = TransferGroup(id: id, name: form.name ?? "", rate: form.rate ?? GroupForm.rateDefault)
            return try await save(Found(group: group, app: app, appID: appID))
        }
        throw TaskError.unavailable("No free id was found for the group.")
    }

    @Sendable private func list(_ request: HTTPRequest, unnamed: UnnamedCaller) async throws -> HTTPResponse {
        guard let text = request.queryValue("app_id") else {
            throw TaskError.invalid([JSONProblems.Problem(path: "app_id", missing: "an integer above 0")])
        }
        guard let number = Int64(text), number > 0, String(number) == text else {
            throw TaskError.invalidField("app_id", message: "expected an integer above 0")
        }
        let app = try unnamed.name(text).app.id
        let groups = try await groups.groups(in: app).filter { !$0.isArchived }
        let list = groups.map { GroupRoutes.text($0, appID: text) }.joined(separator: ",")
        return .json(JSONText.object { $0.member("groups", json: "[\(list)]") })
    }

    @Sendable private func read(_ request: HTTPRequest, unnamed: UnnamedCaller) async throws -> HTTPResponse {
        GroupRoutes.answer(try await find(request, unnamed: unnamed))
    }

    @Sendable private func change(_ request: HTTPRequest, unnamed: UnnamedCaller) async throws -> HTTPResponse {
        let found = try await find(request, unnamed: unnamed)
        let form = try await reading.readJSON(request, account: unnamed.account) { fields in
            let group = fields.object("group", isRequired: true)
            fields.rejectUnknown()
            return group.map { GroupForm($0) }
        }
        var group = found.group
        group.name = form?.name ?? group.name
        group.rate = form?.rate ?? group.rate
        return try await save(Found(group: group, app: found.app, appID: found.appID))
    }

    private func set(
        isArchived: Bool, _ request: HTTPRequest, unnamed: UnnamedCaller
    ) async throws -> HTTPResponse {
        let found = try await find(request, unnamed: unnamed)
        var group = found.group
        guard group.isArchived != isArchived else { return GroupRoutes.answer(found) }
        group.isArchived = isArchived
        return try await save(Found(group: group, app: found.app, appID: found.appID))
    }

    /// Ids of different apps may be the same, so that a new one is none of the caller's.
    private func isFree(_ id: Int64, among apps: [PushApp]) async throws -> Bool {
        try await groups.group(id, of: apps) == nil
    }

    /// A malformed id is one that no group has.
    private func find(_ request: HTTPRequest, unnamed: UnnamedCaller) async throws -> Found {
        let text = request.parameter("id")
        guard let id = Int64(text), String(id) == text, TransferGroupBounds.ids.contains(id) else {
            throw AppMetricaError.unknownGroup
        }
        guard let (group, app) = try await groups.group(id, of: unnamed.apps),
            let appID = app.identifiers[.appmetrica]?.first
        else { throw AppMetricaError.unknownGroup }
        return Found(group: group, app: try unnamed.name(appID).app.id, appID: appID)
    }

    private func save(_ found: Found) async throws -> HTTPResponse {
        switch try await groups.save(found.group, in: found.app) {
        case .saved: return GroupRoutes.answer(found)
        case .nameTaken: throw AppMetricaError.nameTaken
        case .tooMany: throw AppMetricaError.tooManyGroups
        }
    }

    private static func answer(_ found: Found) -> HTTPResponse {
        .json(JSONText.object { $0.member("group", json: text(found.group, appID: found.appID)) })
    }

    private static func text(_ group: TransferGroup, appID: String) -> String {
        JSONText.object { json in
            json.member("id", Int(group.id))
            json.member("app_id", json: appID)
            json.member("name", group.name)
            json.member("send_rate", group.rate)
        }
    }
}

extension TransferGroups {
    /// The group with this id, which does not name its app.
    func group(_ id: Int64, of apps: [PushApp]) async throws -> (group: TransferGroup, app: PushApp)? {
        for app in apps {
            if let group = try await group(id, in: app.id) { return (group, app) }
        }
        return nil
    }
}
