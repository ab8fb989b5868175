import Apps
import HTTPServer
import PushModel

/// Authorizes a request for one app or throws the reason. Each dialect renders that error itself.
struct Gatekeeper: Sendable {
    enum AccessError: Error, Equatable {
        case unauthenticated
        case forbidden(Scope)
        /// The route is not for public keys.
        case publicKey
        /// The key is for other web pages.
        case foreignOrigin
        /// The console's session has ended, or there is none.
        case signedOut
        /// A change that is authorized by a session of the console, without the session's token.
        case noSessionToken
        case unknownApp
        case ambiguous([AppID])
        case tooManyRequests(RateLimitStatus)
    }

    typealias AccessQuery = @Sendable (_ presentedKey: String?, _ peer: String) -> Access

    let limits: RequestLimits
    let crossOrigin: CrossOrigin
    /// Nil without a console.
    let sessions: ConsoleSessions?
    private let unkeyed = UnkeyedBodies()
    private let access: AccessQuery

    init(
        limits: RequestLimits = RequestLimits(), crossOrigin: CrossOrigin, sessions: ConsoleSessions? = nil,
        access: @escaping AccessQuery
    ) {
        self.limits = limits
        self.crossOrigin = crossOrigin
        self.sessions = sessions
        self.access = access
    }

    /// The access of the caller. A caller without any access is refused.
    private func access(
        of request: HTTPRequest, allowsPublicKeys: Bool, keyParameter: String? = nil
    ) throws(AccessError) -> Access {
        try limits.admit(from: request.peer)
        let presented =
            PresentedKey.text(inAuthorization: request.headers["Authorization"])
            ?? keyParameter.flatMap { PresentedKey.text(inQuery: request.queryValue($0)) }
        return try self.access(of: request, presenting: presented, allowsPublicKeys: allowsPublicKeys)
    }

    private func access(
        of request: HTTPRequest, presenting key: String?, allowsPublicKeys: Bool
    ) throws(AccessError) -> Access {
        let access = access(key, request.peer)
        guard !access.grants.isEmpty else { throw .unauthenticated }
        // A web page opened on an allowed machine could post forms from its address; only the machine itself has
        // access.
        guard access.caller != .address || !RequestOrigin.isForeign(request) else { throw .unauthenticated }
        guard !allowsPublicKeys else { return access }
        let ofPrivateKeys = access.ofPrivateKeys
        guard !ofPrivateKeys.grants.isEmpty else { throw .publicKey }
        return ofPrivateKeys
    }

    /// The same; a caller that has none of the scopes in any app is refused.
    private func access(
        of request: HTTPRequest, with scopes: [Scope], keyParameter: String?
    ) throws(AccessError) -> Access {
        let access = try access(of: request, allowsPublicKeys: false, keyParameter: keyParameter)
        return try Gatekeeper.check(access, for: scopes)
    }

    private static func check(_ access: Access, for scopes: [Scope]) throws(AccessError) -> Access {
        guard access.grants.contains(where: { !$0.scopes.isDisjoint(with: scopes) }) else {
            throw .forbidden(scopes[0])
        }
        return access
    }

    /// The access of the console's user. Nil for requests that are not from the console.
    private func signedInAccess(_ request: HTTPRequest) throws(AccessError) -> Access? {
        guard let sessions, request.headers["Authorization"] == nil, sessions.isMeant(by: request) else {
            return nil
        }
        try limits.admit(from: request.peer)
        return try sessions.admit(request).access
    }

    /// `name` is the app named in the path; nil selects the only granted app. Any one of the scopes suffices.
    func admit(
        _ request: HTTPRequest, toAppNamed name: String?, for scopes: [Scope], allowsPublicKeys: Bool = false
    ) throws(AccessError) -> (caller: AuthorizedCaller, limit: RateLimitStatus?) {
        let access =
            if let access = try signedInAccess(request) { access } else {
                try access(of: request, allowsPublicKeys: allowsPublicKeys)
            }
        let caller = try AuthorizedCaller(access, for: scopes) { access.choose(name, scope: $0) }
        if let terms = caller.publicKey, !terms.admits(origin: request.headers["Origin"]) { throw .foreignOrigin }
        return (caller, try limits.admit(caller.payer, to: caller.app, from: request.peer))
    }

    /// A browser sends a preflight without a key.
    func preflight(_ request: HTTPRequest, methods: [HTTPMethod]) throws(AccessError) -> HTTPResponse {
        try limits.admit(from: request.peer)
        return crossOrigin.preflight(request, methods: methods)
    }

    /// For dialects that name the app in the body. The key may also be in the query parameter, if one is named.
    func admit(
        _ request: HTTPRequest, naming dialect: TaskDialect, for scopes: [Scope], keyParameter: String? = nil
    ) throws(AccessError) -> UnnamedCaller {
        let access = try access(of: request, with: scopes, keyParameter: keyParameter)
        return try UnnamedCaller(access, dialect: dialect, scopes: scopes, peer: request.peer, limits: limits)
    }

    /// For routes whose requests may have their key in the body. One with a key in its head is authorized at once.
    /// Another is received within bounds of its own, and authorized once its key is read.
    func receive(
        _ request: HTTPRequest, naming dialect: TaskDialect, for scopes: [Scope]
    ) throws -> BodyKeyCaller {
        guard request.headers["Authorization"] == nil else {
            return BodyKeyCaller(try admit(request, naming: dialect, for: scopes))
        }
        try limits.admit(from: request.peer)
        return BodyKeyCaller(reservation: try unkeyed.reserve(for: request)) { key throws(AccessError) in
            let access = try access(of: request, presenting: key, allowsPublicKeys: false)
            return try UnnamedCaller(
                try Gatekeeper.check(access, for: scopes), dialect: dialect, scopes: scopes, peer: request.peer,
                limits: limits)
        }
    }
}
