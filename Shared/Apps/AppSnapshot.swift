package import PushModel
package import ServiceKit
import Signing

/// All apps at one point in time. Immutable and shared: a request uses one snapshot until it ends.
package final class AppSnapshot: Sendable {
    private struct Owner: Sendable {
        let app: PushApp
        let credential: Credential
    }

    /// Sorted by name.
    package let apps: [PushApp]
    private let appsByID: [AppID: PushApp]
    private let appsByIdentifier: [TaskDialect: [String: PushApp]]
    /// A key with several apps has an entry in the file of each.
    private let ownersByKeyID: [String: [Owner]]
    private let pepper: Pepper?
    let signer: ConsoleSessionSigner?
    private let userTokenKeys: [AppID: UserTokenKey]
    /// The pages of all public keys.
    private let origins: Set<WebOrigin>

    /// Without a pepper all keys are rejected.
    init(
        _ apps: [PushApp], pepper: Pepper?, userTokenKeys: [AppID: UserTokenKey] = [:],
        webPushPublicKeys: [AppID: [UInt8]] = [:]
    ) {
        self.apps = apps.sorted { $0.id < $1.id }.map { app in
            var app = app
            app.receiptKey = pepper?.receiptKey(of: app.id)
            app.webPushPublicKey = webPushPublicKeys[app.id]
            app.streamTicketKey = pepper?.streamTicketKey(of: app.id)
            return app
        }
        self.pepper = pepper
        signer = pepper.map { ConsoleSessionSigner(key: $0.consoleSessionKey) }
        self.userTokenKeys = userTokenKeys
        let rights = apps.flatMap(\.credentials).map(\.rights)
        origins = Set(rights.filter(\.isPublic).flatMap(\.origins))
        var byID: [AppID: PushApp] = [:]
        var byIdentifier: [TaskDialect: [String: PushApp]] = [:]
        var owners: [String: [Owner]] = [:]
        for app in self.apps {
            byID[app.id] = app
            for (dialect, identifiers) in app.identifiers {
                for identifier in identifiers { byIdentifier[dialect, default: [:]][identifier] = app }
            }
            for credential in app.credentials {
                owners[credential.id, default: []].append(Owner(app: app, credential: credential))
            }
        }
        appsByID = byID
        appsByIdentifier = byIdentifier
        ownersByKeyID = owners
    }

    /// The app itself, or the one that the space belongs to.
    package func app(_ id: AppID) -> PushApp? {
        appsByID[id] ?? (id.isSpace ? appsByID[id.owner] : nil)
    }

    /// For work that is already accepted. `access` decides which apps a caller may use.
    package func app(_ dialect: TaskDialect, identifier: String) -> PushApp? {
        appsByIdentifier[dialect]?[identifier]
    }

    /// True if a public key of any app is for pages of this origin.
    package func isKnown(origin: String) -> Bool {
        WebOrigin(origin).map { origins.contains($0) } ?? false
    }

    /// The access of a caller: by the presented key or, without a key, by its address.
    package func access(presented: String?, peer: String, now: Timestamp) -> Access {
        guard let presented else { return access(from: peer) }
        guard let key = APIKey(presented), let pepper else { return Access(caller: .wrongKey, grants: []) }
        let owners = ownersByKeyID[key.id] ?? []
        // Constant time whether or not the id exists; all owners of one id have the same hash.
        let isRight = ConstantTime.areEqual(
            pepper.hash(of: key), owners.first?.credential.hash ?? pepper.unknownKeyHash)
        let valid = owners.filter { $0.credential.isValid(at: now) }
        guard isRight, !valid.isEmpty else { return Access(caller: .wrongKey, grants: []) }
        return Access(caller: .key(key.id), grants: valid.map(grant))
    }

    /// The access of the holder of this key, whose identity is proven otherwise.
    func access(ofKey id: String, now: Timestamp) -> Access {
        let valid = (ownersByKeyID[id] ?? []).filter { $0.credential.isValid(at: now) }
        return Access(caller: .key(id), grants: valid.map(grant))
    }

    /// All entries of one id have the same hash.
    func owner(ofKey id: String, now: Timestamp) -> Credential? {
        ownersByKeyID[id]?.map(\.credential).first { $0.isValid(at: now) }
    }

    /// The ticket, and the key that made it, if both are valid.
    package func ticket(_ text: String, now: Timestamp) -> (ticket: StreamTicket, key: Credential)? {
        guard let presented = PresentedTicket(text), let app = appsByID[presented.ticket.app],
            let key = app.streamTicketKey, presented.isSigned(by: key), now < presented.ticket.expires,
            let maker = holder(of: .listen, keyID: presented.ticket.keyID, app: app.id, now: now)
        else { return nil }
        return (presented.ticket, maker)
    }

    /// The private key of this id, if it has the scope in the app.
    package func holder(of scope: Scope, keyID: String, app: AppID, now: Timestamp) -> Credential? {
        let owner = ownersByKeyID[keyID]?.first { $0.app.id == app }
        guard let credential = owner?.credential, credential.isValid(at: now), !credential.rights.isPublic,
            credential.scopes.contains(scope)
        else { return nil }
        return credential
    }

    private func grant(of owner: Owner) -> Access.Grant {
        let rights = owner.credential.rights
        let terms = PublicKeyTerms(origins: rights.origins, userTokenKey: userTokenKeys[owner.app.id])
        return Access.Grant(app: owner.app, scopes: rights.scopes, publicKey: rights.isPublic ? terms : nil)
    }

    /// The access of a caller without a key.
    package func access(from peer: String) -> Access {
        guard let address = IPAddress(peer) else { return Access(caller: .anonymous, grants: []) }
        let grants = apps.compactMap { app -> Access.Grant? in
            let ranges = app.allowed.filter { $0.range.contains(address) }
            guard !ranges.isEmpty else { return nil }
            return Access.Grant(app: app, scopes: ranges.reduce(into: []) { $0.formUnion($1.scopes) })
        }
        return Access(caller: grants.isEmpty ? .anonymous : .address, grants: grants)
    }
}
