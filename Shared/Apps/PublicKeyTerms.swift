/// What restricts the requests with a public key.
package struct PublicKeyTerms: Sendable, Equatable {
    private let origins: [WebOrigin]
    /// Verifies who a device's user is; nil if the app has no such secret.
    package let userTokenKey: UserTokenKey?

    package init(origins: [WebOrigin] = [], userTokenKey: UserTokenKey? = nil) {
        self.origins = origins
        self.userTokenKey = userTokenKey
    }

    /// False for a page that is not among the key's. Requests of other programs than browsers have no origin.
    package func admits(origin: String?) -> Bool {
        guard let origin, !origins.isEmpty else { return true }
        return isFor(origin: origin)
    }

    /// True if the key is bound to this origin.
    package func isFor(origin: String) -> Bool {
        WebOrigin(origin).map { origins.contains($0) } ?? false
    }
}
