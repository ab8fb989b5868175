package import Store

extension Scissors {
    /// Counts a step before and after a change, so that either can be the crash point.
    package func around<Result>(_ change: () async throws(StoreError) -> Result) async throws(StoreError) -> Result {
        try pass()
        let result = try await change()
        try pass()
        return result
    }

    package func pass() throws(StoreError) {
        if isCut() { throw StoreError(.unavailable, message: "cut off") }
    }
}
