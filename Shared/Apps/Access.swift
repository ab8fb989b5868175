package import PushModel
package import ServiceKit

/// The apps and scopes of one caller, determined once per request from its key or, without a key, from its address. A
/// path or a field only selects among the apps listed here.
package struct Access: Sendable {
    package enum Caller: Sendable, Equatable {
        /// The id of the presented key.
        case key(String)
        case address
        /// No key, and an address outside of all allowed ranges.
        case anonymous
        /// A wrong, unknown or expired key. A caller with a key is never authorized by its address.
        case wrongKey
    }

    package struct Grant: Sendable, Equatable {
        package let app: PushApp
        package let scopes: Set<Scope>
        /// Nil unless the grant is that of a public key.
        package var publicKey: PublicKeyTerms?
    }

    package enum Choice: Sendable, Equatable {
        case app(PushApp)
        /// No app of this name among those granted: 404.
        case unknownApp
        /// The app is granted, the scope is not: 403.
        case forbidden
        /// 401.
        case unauthenticated
        /// Several apps are granted and none is named: 400.
        case ambiguous([AppID])
    }

    package let caller: Caller
    /// One per app, sorted by name.
    package let grants: [Grant]
    /// When the session of the console ends by which the caller is known; nil for all other callers.
    package var ends: Timestamp?

    /// The id of the presented key; nil if the caller was authorized by its address.
    package var keyID: String? {
        guard case .key(let id) = caller else { return nil }
        return id
    }

    /// Without the grants of a public key.
    package var ofPrivateKeys: Access {
        Access(caller: caller, grants: grants.filter { $0.publicKey == nil })
    }

    package func apps(with scope: Scope) -> [PushApp] {
        grants.filter { $0.scopes.contains(scope) }.map(\.app)
    }

    /// The app named in a path; nil selects the only granted app.
    package func choose(_ name: String?, scope: Scope) -> Choice {
        choose(scope) { name == nil || $0.id.text == name }
    }

    /// The app named in a field of the dialect; nil selects the only granted app.
    package func choose(_ dialect: TaskDialect, identifier: String?, scope: Scope) -> Choice {
        choose(scope) { app in
            identifier.map { app.identifiers[dialect]?.contains($0) == true } ?? true
        }
    }

    private func choose(_ scope: Scope, matches: (PushApp) -> Bool) -> Choice {
        guard !grants.isEmpty else { return .unauthenticated }
        let matching = grants.filter { matches($0.app) }
        guard !matching.isEmpty else { return .unknownApp }
        let granted = matching.filter { $0.scopes.contains(scope) }
        switch granted.count {
        case 0: return .forbidden
        case 1: return .app(granted[0].app)
        default: return .ambiguous(granted.map(\.app.id))
        }
    }
}
