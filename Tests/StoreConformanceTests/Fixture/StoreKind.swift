import Testing

/// The kinds of store that the suites run against.
enum StoreKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory
    /// As the processes of the simulation see the stores in memory.
    case simulated
    case redis
    case cluster

    /// Of stores that the simulation wraps in part, or not at all.
    static let unwrapped: [StoreKind] = [.memory, .redis, .cluster]

    var testDescription: String { rawValue }
}

enum StoreOwnership: Sendable {
    /// Other tests may use the server at the same time, with other apps, tasks and keys.
    case shared
    /// For tests that change, or count, everything in the store.
    case own
}
