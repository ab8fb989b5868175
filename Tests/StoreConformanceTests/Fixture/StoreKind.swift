import Testing

/// The kinds of store that every suite runs against.
enum StoreKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory
    case redis
    case cluster

    var testDescription: String { rawValue }
}

enum StoreOwnership: Sendable {
    /// Other tests may use the server at the same time, with other apps, tasks and keys.
    case shared
    /// For tests that change, or count, everything in the store.
    case own
}
