import Synchronization

/// Issues the numbers of claims, each once.
package final class ClaimNumbers: Sendable {
    private let last = Atomic<UInt64>(0)

    package init() {}

    package func next() -> UInt64 {
        last.wrappingAdd(1, ordering: .relaxed).newValue
    }
}
