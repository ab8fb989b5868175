package import ServiceKit

/// A token as its issuer gave it.
package struct IssuedToken: Sendable {
    package let value: Secret
    package let window: TokenWindow

    package init(_ value: Secret, window: TokenWindow) {
        self.value = value
        self.window = window
    }
}

/// A token to send with. It knows which one of its cache it is, so that a refusal that comes late blames the right one.
package struct BearerToken: Sendable, Equatable {
    package let value: Secret
    let number: Int
}
