package import ServiceKit

/// Scopes of callers without a key from a range of addresses.
package struct AllowedRange: Sendable, Equatable {
    package let range: AddressRange
    package let scopes: Set<Scope>
}
