import Apps
import HTTPServer
import JSONKit
import PushModel
import ServiceKit
import Store
import TaskModel
import Topics

/// `/v1/audiences` and the routes below it.
struct AudienceRoutes: Sendable {
    private static let bodyBytesMaximum = 64 * 1_024

    let book: AudienceBook
    let counting: AudienceCount
    let reading: BodyReading
    let room: StoreRoom

    var routes: [DialectRoute] {
        let maximum = AudienceRoutes.bodyBytesMaximum
        // Other tasks of the app use what is saved, so that changing it is for those who may cancel them.
        return [
            DialectRoute(
                method: .get, pattern: "/v1/audiences", scopes: [.read], query: [], handler: .appInPath(list)),
            DialectRoute(
                method: .post, pattern: "/v1/audiences/count", scopes: [.read], query: [], bodyBytesMaximum: maximum,
                handler: .appInPath(count)),
            DialectRoute(
                method: .get, pattern: "/v1/audiences/:name", scopes: [.read], query: [], handler: .appInPath(read)),
            DialectRoute(
                method: .put, pattern: "/v1/audiences/:name", scopes: [.admin], query: [], bodyBytesMaximum: maximum,
                handler: .appInPath(save)),
            DialectRoute(
                method: .delete, pattern: "/v1/audiences/:name", scopes: [.admin], query: [],
                handler: .appInPath(remove)),
        ]
    }

    @Sendable func list(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        let names = try await book.names(in: call.app)
        return .json(JSONText.object { $0.member("audiences", json: JSONText.array(names.map(\.text))) })
    }

    @Sendable func read(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        let name = try name(call)
        guard let audience = try await book.audience(name, in: call.app) else { throw TaskError.unknownAudience }
        return .json(text(audience, name: name))
    }

    @Sendable func save(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        let name = try name(call)
        let audience = try await reading.readJSON(call.request, account: call.caller.account) { fields in
            try Audience.read(fields)
        }
        // Refuses what could not be used.
        _ = try await book.expand(.saved(name), in: call.app, replacing: (name: name, audience: audience))
        try room.check(.registering)
        let isNew = try await book.audience(name, in: call.app) == nil
        try await book.save(audience, as: name, in: call.app)
        return .json(text(audience, name: name), status: isNew ? .created : .ok)
    }

    @Sendable func remove(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        let name = try name(call)
        guard try await book.audience(name, in: call.app) != nil else { throw TaskError.unknownAudience }
        try await book.remove(name, in: call.app)
        return HTTPResponse(.noContent)
    }

    @Sendable func count(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        let asked = try await reading.readJSON(call.request, account: call.caller.account) { fields in
            let audience = try fields.object("audience", isRequired: true).map { try Audience.read($0) }
            fields.rejectUnknown()
            return audience
        }
        guard let asked else { return .json("{}") }
        let counts = try await counting.platforms(of: try await book.expand(asked, in: call.app), in: call.app)
        let platforms = JSONText.object { json in
            for platform in Platform.supported { json.member(platform.rawValue, counts[platform] ?? 0) }
        }
        return .json(
            JSONText.object { json in
                json.member("devices", counts.values.reduce(0, +))
                json.member("platforms", json: platforms)
            })
    }

    private func name(_ call: AuthorizedRequest) throws -> AudienceName {
        do throws(InvalidValueError) {
            return try AudienceName(call.request.parameter("name"))
        } catch {
            throw TaskError.invalidField("name", message: error.description)
        }
    }

    private func text(_ audience: Audience, name: AudienceName) -> String {
        JSONText.object { json in
            json.member("name", name.text)
            json.member("audience", json: audience.json.compactText)
        }
    }
}

extension Audience {
    /// Throws all problems of the fields.
    fileprivate static func read(_ fields: JSONFields) throws -> Audience {
        let audience = Audience(fields)
        guard let audience, fields.problems.all.isEmpty else { throw TaskError.invalid(fields.problems.all) }
        do throws(InvalidValueError) {
            try audience.checkBounds()
        } catch {
            throw TaskError.invalidField(fields.path, message: error.description)
        }
        return audience
    }
}
