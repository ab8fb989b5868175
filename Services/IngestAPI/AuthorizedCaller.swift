import Apps

/// Who was let through, to which app, and what may be done there.
struct AuthorizedCaller: Sendable {
    let app: PushApp
    let caller: Access.Caller
    private let scopes: Set<Scope>

    /// The first of the scopes that is granted decides.
    init(
        _ access: Access, for wanted: [Scope], choose: (Scope) -> Access.Choice
    ) throws(Gatekeeper.AccessError) {
        var refusal = Gatekeeper.AccessError.unauthenticated
        for scope in wanted {
            switch choose(scope) {
            case .app(let app):
                self.app = app
                caller = access.caller
                scopes = access.grants.first { $0.app.id == app.id }?.scopes ?? []
                return
            // The first is the one to ask for.
            case .forbidden: refusal = .forbidden(wanted[0])
            case .unauthenticated: throw .unauthenticated
            case .unknownApp: throw .unknownApp
            case .ambiguous(let apps): throw .ambiguous(apps)
            }
        }
        throw refusal
    }

    /// The id of the key that was shown; empty where an address was enough.
    var credential: String {
        guard case .key(let id) = caller else { return "" }
        return id
    }

    /// Who pays for the memory of the request's body, beside the address that it comes from.
    var account: String? { credential.isEmpty ? nil : credential }

    func has(_ scope: Scope) -> Bool {
        scopes.contains(scope)
    }

    func require(_ scope: Scope) throws(Gatekeeper.AccessError) {
        guard has(scope) else { throw .forbidden(scope) }
    }
}
