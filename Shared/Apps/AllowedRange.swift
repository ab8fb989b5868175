package import ServiceKit

/// What callers without a key may do when they come from these addresses.
package struct AllowedRange: Sendable, Equatable {
    package let range: AddressRange
    package let scopes: Set<Scope>
}
