package import ServiceKit

/// A token as its issuer returned it.
package struct IssuedToken: Sendable {
    package let value: Secret
    package let window: TokenWindow

    package init(_ value: Secret, window: TokenWindow) {
        self.value = value
        self.window = window
    }
}

/// A token to send with. Its number identifies it in its cache, so that a late refusal is matched to it.
package struct BearerToken: Sendable, Equatable {
    package let value: Secret
    let number: Int

    /// The value of the header `Authorization`.
    package var authorization: String { "Bearer " + value.reveal() }
}
