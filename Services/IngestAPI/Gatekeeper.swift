import Apps
import HTTPServer
import PushModel

/// Authorizes a request for one app or throws the reason. Each dialect renders that error itself.
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

    /// The access of the caller, for dialects that name the app in the body: a caller without any access is refused
    /// before the body is read.
    func access(of request: HTTPRequest) throws(AccessError) -> Access {
        try limits.admit(from: request.peer)
        let access = access(PresentedKey.text(inAuthorization: request.headers["Authorization"]), request.peer)
        guard !access.grants.isEmpty else { throw .unauthenticated }
        // A web page opened on an allowed machine could post forms from its address; only the machine itself has
        // access.
        guard access.caller != .address || !RequestOrigin.isForeign(request) else { throw .unauthenticated }
        return access
    }

    /// The same; a caller that has none of the scopes in any app is refused before the body is read.
    func access(of request: HTTPRequest, with scopes: [Scope]) throws(AccessError) -> Access {
        let access = try access(of: request)
        guard access.grants.contains(where: { !$0.scopes.isDisjoint(with: scopes) }) else {
            throw .forbidden(scopes[0])
        }
        return access
    }

    /// `name` is the app named in the path; nil selects the only granted app. Any one of the scopes suffices.
    func admit(
        _ request: HTTPRequest, toAppNamed name: String?, for scopes: [Scope]
    ) throws(AccessError) -> AuthorizedCaller {
        let access = try access(of: request)
        return try admit(access, from: request.peer, for: scopes) { access.choose(name, scope: $0) }
    }

    /// For dialects that name the app in the body.
    func admit(
        _ access: Access, from peer: String, for scopes: [Scope], choose: (Scope) -> Access.Choice
    ) throws(AccessError) -> AuthorizedCaller {
        let caller = try AuthorizedCaller(access, for: scopes, choose: choose)
        try limits.admit(caller, from: peer)
        return caller
    }
}
