import RedisClient
import Store
import Topics

/// Checks that Redis has memory for new data. Requests are refused before anything is stored, because retries of
/// refused requests would otherwise fill the memory that later stages need to finish their work.
struct StoreRoom: Sendable {
    let percentUsed: @Sendable () -> Int
    /// The share of maxmemory from which new tasks are refused.
    let percentMaximum: Int

    func isFull(for stage: AdmissionStage) -> Bool {
        percentUsed() >= stage.percent(accepting: percentMaximum)
    }

    func check(_ stage: AdmissionStage) throws(StoreError) {
        guard isFull(for: stage) else { return }
        throw StoreError(.full, message: "Redis exceeds the share of maxmemory for the stage \(stage)")
    }
}
