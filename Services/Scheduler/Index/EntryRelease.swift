import Store

/// What becomes of entries that are due.
protocol EntryRelease: Sendable {
    /// Maximum entries in one lease.
    static var entriesMaximum: Int { get }

    /// Returns how many devices or tasks were released. An entry is removed only when everything that follows from it
    /// is durable; after an interruption the lease expires and all of it is repeated.
    func perform(_ lease: RetryLease, shard: RetryShard) async throws -> Int
}
