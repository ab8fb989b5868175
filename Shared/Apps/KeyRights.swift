/// What a key may do in its app.
package struct KeyRights: Sendable, Hashable {
    package let scopes: Set<Scope>
    /// True for a key that ships inside an app or a page: every user of the app can read it, so it registers, reads and
    /// removes only the device whose token its request presents.
    package let isPublic: Bool
    /// The web pages that may use a public key; empty for no binding. Only browsers tell the origin of a page, so this
    /// keeps a key from other sites' pages, and from no other program.
    package let origins: [WebOrigin]

    /// The only scopes that a public key may have.
    package static let publicScopes: Set<Scope> = [.register]

    package init(scopes: Set<Scope>, isPublic: Bool = false, origins: [WebOrigin] = []) {
        self.scopes = scopes
        self.isPublic = isPublic
        self.origins = origins
    }
}
