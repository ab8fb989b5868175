import Apps
import ServiceKit

/// An authorized caller: the app and the scopes it has there.
struct AuthorizedCaller: Sendable {
    let app: PushApp
    let kind: Access.Caller
    /// When its session of the console ends; nil for callers without one.
    let ends: Timestamp?
    /// Nil unless the caller presented a public key.
    let publicKey: PublicKeyTerms?
    private let scopes: Set<Scope>

    /// Authorizes by the first of the scopes that is granted.
    init(
        _ access: Access, for accepted: [Scope], choose: (Scope) -> Access.Choice
    ) throws(Gatekeeper.AccessError) {
        ends = access.ends
        var error = Gatekeeper.AccessError.unauthenticated
        for scope in accepted {
            switch choose(scope) {
            case .app(let app):
                self.app = app
                kind = access.caller
                let grant = access.grants.first { $0.app.id == app.id }
                scopes = grant?.scopes ?? []
                publicKey = grant?.publicKey
                return
            // The error names the first scope, which is the one to request.
            case .forbidden: error = .forbidden(accepted[0])
            case .unauthenticated: throw .unauthenticated
            case .unknownApp: throw .unknownApp
            case .ambiguous(let apps): throw .ambiguous(apps)
            }
        }
        throw error
    }

    /// The id of the presented key; empty if the caller was authorized by its address.
    var credential: String {
        guard case .key(let id) = kind else { return "" }
        return id
    }

    /// Whose requests are limited. A public key is in the hands of everyone: its callers are told apart by address.
    var payer: Access.Caller { publicKey == nil ? kind : .address }

    /// The account charged for the memory of the request's body, in addition to the client's address.
    var account: String? { credential.isEmpty || publicKey != nil ? nil : credential }

    func has(_ scope: Scope) -> Bool {
        scopes.contains(scope)
    }

    func require(_ scope: Scope) throws(Gatekeeper.AccessError) {
        guard has(scope) else { throw .forbidden(scope) }
    }
}
