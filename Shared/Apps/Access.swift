package import PushModel

/// What one caller may touch: decided once a request, from its key, or without one from its address. A path or a field
/// only chooses among the apps listed here.
package struct Access: Sendable {
    package enum Caller: Sendable, Equatable {
        /// The id of the key it showed.
        case key(String)
        case address
        /// No key, and no range that its address is in.
        case nobody
        /// A key that is wrong, unknown or expired. Its address does not help it: whoever shows a key means that key.
        case wrongKey
    }

    package struct Grant: Sendable, Equatable {
        package let app: PushApp
        package let scopes: Set<Scope>
    }

    package enum Choice: Sendable, Equatable {
        case app(PushApp)
        /// No such app, as far as this caller may know: 404.
        case unknownApp
        /// The app is granted, what is asked for is not: 403.
        case forbidden
        /// 401.
        case unauthenticated
        /// Several apps are granted and none was named: 400.
        case ambiguous([AppID])
    }

    package let caller: Caller
    /// One an app, in the order of their names.
    package let grants: [Grant]

    /// The id of the key that was shown; nil where an address was enough.
    package var keyID: String? {
        guard case .key(let id) = caller else { return nil }
        return id
    }

    package func apps(with scope: Scope) -> [PushApp] {
        grants.filter { $0.scopes.contains(scope) }.map(\.app)
    }

    /// The app named in a path; nil takes the only one there is.
    package func choose(_ name: String?, scope: Scope) -> Choice {
        choose(scope) { name == nil || $0.id.text == name }
    }

    /// The app that a dialect's own field names; nil takes the only one there is.
    package func choose(_ dialect: Dialect, identifier: String?, scope: Scope) -> Choice {
        choose(scope) { app in
            identifier.map { app.identifiers[dialect]?.contains($0) == true } ?? true
        }
    }

    private func choose(_ scope: Scope, isMeant: (PushApp) -> Bool) -> Choice {
        guard !grants.isEmpty else { return .unauthenticated }
        let meant = grants.filter { isMeant($0.app) }
        guard !meant.isEmpty else { return .unknownApp }
        let granted = meant.filter { $0.scopes.contains(scope) }
        switch granted.count {
        case 0: return .forbidden
        case 1: return .app(granted[0].app)
        default: return .ambiguous(granted.map(\.app.id))
        }
    }
}
