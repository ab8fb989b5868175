import Apps
import HTTPServer
import JSONKit
import PushModel
import ServiceKit

/// `/console`: the page's files, its session, and the simulator's moods.
struct ConsoleRoutes: Sendable {
    private static let bodyBytesMaximum = 4 << 10
    private static let wrongKey = Problem(
        .unauthorized, type: "urn:carillon:wrong-key", title: "Wrong key",
        detail: "The key is unknown, expired, revoked or public. The console needs a private key of an app.")

    let sessions: ConsoleSessions
    let limits: RequestLimits
    /// Nil without a simulator.
    let simulator: SimulatorMoods?
    let reading: BodyReading
    let log: RefusalLog

    func add(to router: inout HTTPRouter) {
        for file in ConsoleFile.all {
            router.on(.get, pattern: file.path) { request in file.answer(request) }
        }
        on(.post, path: "/session", in: &router, admit: admitNewcomer, handle: signIn)
        on(.get, path: "/session", in: &router, admit: admitUser) { answer(try sessions.admit($0)) }
        on(.delete, path: "/session", in: &router, admit: admitUser) { request in
            HTTPResponse(.noContent, headers: [sessions.removedCookie(for: request)])
        }
        guard let simulator else { return }
        on(.get, path: "/simulator", in: &router, admit: admitAdmin) { _ in try await simulator.answer() }
        on(.put, path: "/simulator", in: &router, admit: admitAdmin) { request in
            let mood = try await reading.readJSON(request, account: nil) { fields in
                let names = SimulatorMood.allCases.map(\.rawValue).joined(separator: ", ")
                let mood = fields.text(
                    "mood", expected: "one of \(names)", isRequired: true, convert: SimulatorMood.init)
                fields.rejectUnknown()
                return mood
            }
            if let mood { try await simulator.set(mood) }
            return try await simulator.answer()
        }
    }

    /// Each request is admitted or refused by its head, before its body is read.
    private func on(
        _ method: HTTPMethod, path: String, in router: inout HTTPRouter,
        admit: @escaping @Sendable (HTTPRequest) throws -> Void,
        handle: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) {
        router.on(
            method, pattern: "/console" + path, bodyBytesMaximum: ConsoleRoutes.bodyBytesMaximum,
            admit: { request in
                do {
                    try admit(request)
                    return .admitted(headers: ConsoleRoutes.fields) { request in
                        do {
                            return try await handle(request)
                        } catch {
                            return refusal(error)
                        }
                    }
                } catch {
                    var response = refusal(error)
                    response.headers += ConsoleRoutes.fields
                    return .refused(response)
                }
            })
    }

    private static let fields = ConsoleHeaders.all + [HTTPField("Cache-Control", "no-store")]

    private func refusal(_ error: any Error) -> HTTPResponse {
        TaskError(error, log: log).response()
    }

    /// Another page must not sign its visitor in with a key of its own.
    private func admitNewcomer(_ request: HTTPRequest) throws {
        try limits.admit(from: request.peer)
        guard !RequestOrigin.isForeign(request) else { throw Gatekeeper.AccessError.signedOut }
    }

    private func admitUser(_ request: HTTPRequest) throws {
        try limits.admit(from: request.peer)
        _ = try sessions.admit(request)
    }

    private func admitAdmin(_ request: HTTPRequest) throws {
        try limits.admit(from: request.peer)
        let access = try sessions.admit(request).access
        guard !access.apps(with: .admin).isEmpty else { throw Gatekeeper.AccessError.forbidden(.admin) }
    }

    /// Always a new session: one that another page or person set before is replaced.
    private func signIn(_ request: HTTPRequest) async throws -> HTTPResponse {
        let key = try await reading.readJSON(request, account: nil) { fields in
            let key = fields.text("key", bytesMaximum: 256, isRequired: true)
            fields.rejectUnknown()
            return key
        }
        guard let signedIn = key.flatMap(sessions.signIn) else {
            return ConsoleRoutes.wrongKey.response(
                headers: [HTTPField("WWW-Authenticate", ConsoleSessions.challenge)])
        }
        var response = answer(signedIn.access)
        response.status = .created
        response.headers.append(sessions.newCookie(signedIn.text, for: request))
        return response
    }

    private func answer(_ signedIn: SignedInAccess) -> HTTPResponse {
        .json(
            JSONText.object { json in
                json.member("key", signedIn.session.keyID)
                json.member("csrf", signedIn.token)
                json.member("ends", "\(signedIn.session.ends)")
                let apps = signedIn.access.grants.map { grant in
                    JSONText.object { json in
                        json.member("app", grant.app.id.text)
                        let scopes = grant.scopes.sorted().map { JSONText.quoted($0.rawValue) }
                        json.member("scopes", json: "[\(scopes.joined(separator: ","))]")
                    }
                }
                json.member("apps", json: "[\(apps.joined(separator: ","))]")
                json.member("simulator", simulator != nil)
            })
    }
}
