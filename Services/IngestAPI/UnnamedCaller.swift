import Apps
import HTTPServer
import PushModel
import Synchronization

/// The caller of a request that names its app in the body. Used for one request.
///
/// The app's rate limit should refuse a request before its body is read. If only one app is possible, the request
/// counts as soon as the head is complete. Otherwise it is refused by its head if every possible app would refuse it,
/// and counts once the app is known.
final class UnnamedCaller: Sendable {
    /// The apps that the request can name.
    let apps: [PushApp]
    private let access: Access
    private let dialect: TaskDialect
    private let scopes: [Scope]
    private let peer: String
    private let limits: RequestLimits
    /// The app of which the request has been counted by its head.
    private let counted: PushApp?
    private let status: Mutex<RateLimitStatus?>

    init(
        _ access: Access, dialect: TaskDialect, scopes: [Scope], peer: String, limits: RequestLimits
    ) throws(Gatekeeper.AccessError) {
        let apps = access.apps(dialect, withAnyOf: scopes)
        var status: RateLimitStatus?
        if apps.count == 1 {
            status = try limits.admit(access.caller, to: apps[0], from: peer)
        } else {
            let states = apps.map { limits.status(of: access.caller, in: $0, from: peer) }
            let waiting = states.compactMap { $0 }.filter { $0.wait > .zero }
            if waiting.count == apps.count, let next = waiting.min(by: { $0.wait < $1.wait }) {
                throw .tooManyRequests(next)
            }
        }
        self.apps = apps
        self.access = access
        self.dialect = dialect
        self.scopes = scopes
        self.peer = peer
        self.limits = limits
        counted = apps.count == 1 ? apps[0] : nil
        self.status = Mutex(status)
    }

    var account: String? { access.keyID }

    /// Call once, with the app of what the request names.
    func caller(in app: PushApp) throws(Gatekeeper.AccessError) -> AuthorizedCaller {
        guard let identifier = app.identifiers[dialect]?.first else { throw .unknownApp }
        return try name(identifier)
    }

    /// The state of the limit that the request was counted for.
    var headers: [HTTPField] { status.withLock { $0 }?.headers ?? [] }

    /// Call once, with the app that the request names.
    func name(_ identifier: String) throws(Gatekeeper.AccessError) -> AuthorizedCaller {
        let caller = try AuthorizedCaller(access, for: scopes) {
            access.choose(dialect, identifier: identifier, scope: $0)
        }
        if caller.app.id != counted?.id {
            let now = try limits.admit(caller.kind, to: caller.app, from: peer)
            status.withLock { $0 = now }
        }
        return caller
    }
}

extension Access {
    /// The apps that a request of the dialect can name.
    fileprivate func apps(_ dialect: TaskDialect, withAnyOf scopes: [Scope]) -> [PushApp] {
        grants.filter { grant in
            grant.app.identifiers[dialect]?.isEmpty == false && scopes.contains { grant.scopes.contains($0) }
        }.map(\.app)
    }
}
