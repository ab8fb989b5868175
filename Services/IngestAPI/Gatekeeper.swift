import Apps
import HTTPServer
import PushModel

/// Lets a request through to one app, or says why not. How a refusal reads is the dialect's matter.
struct Gatekeeper: Sendable {
    enum AccessError: Error, Equatable {
        case unauthenticated
        case forbidden(Scope)
        case unknownApp
        case ambiguous([AppID])
        case tooManyRequests(retryAfter: Duration)
    }

    typealias AccessQuery = @Sendable (_ presentedKey: String?, _ peer: String) -> Access

    let limits: RequestLimits
    private let access: AccessQuery

    init(limits: RequestLimits = RequestLimits(), access: @escaping AccessQuery) {
        self.limits = limits
        self.access = access
    }

    /// What the caller may touch, for dialects whose app is named in the body: somebody who may touch nothing is refused
    /// before it is read.
    func access(of request: HTTPRequest) throws(AccessError) -> Access {
        try limits.admit(from: request.peer)
        let access = access(PresentedKey.text(inAuthorization: request.headers["Authorization"]), request.peer)
        guard !access.grants.isEmpty else { throw .unauthenticated }
        // A page that somebody opens on an allowed machine may post forms from there; the machine may, the page may not.
        guard access.caller != .address || !RequestOrigin.isForeign(request) else { throw .unauthenticated }
        return access
    }

    /// The same, for a dialect whose app is named in the body: a caller who has none of the scopes in any app is refused
    /// before the body is read.
    func access(of request: HTTPRequest, with scopes: [Scope]) throws(AccessError) -> Access {
        let access = try access(of: request)
        guard access.grants.contains(where: { !$0.scopes.isDisjoint(with: scopes) }) else {
            throw .forbidden(scopes[0])
        }
        return access
    }

    /// `name` is the app as the path chooses it; nil takes the only one that is granted. Any one of the scopes will do.
    func admit(
        _ request: HTTPRequest, toAppNamed name: String?, for scopes: [Scope]
    ) throws(AccessError) -> AuthorizedCaller {
        let access = try access(of: request)
        return try admit(access, from: request.peer, for: scopes) { access.choose(name, scope: $0) }
    }

    /// For dialects whose app is named in the body.
    func admit(
        _ access: Access, from peer: String, for scopes: [Scope], choose: (Scope) -> Access.Choice
    ) throws(AccessError) -> AuthorizedCaller {
        let admission = try AuthorizedCaller(access, for: scopes, choose: choose)
        try limits.admit(admission, from: peer)
        return admission
    }
}
