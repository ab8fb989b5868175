/// A job whose devices are marked.
struct ResolvedJob: Sendable {
    let number: Int
    /// Entries of its part of a list that name no device.
    let unmatched: Int

    init(_ number: Int, unmatched: Int = 0) {
        self.number = number
        self.unmatched = unmatched
    }
}
