import RedisClient
import Store
import Topics

/// Whether Redis has room for what this service would bring. It refuses before anything is kept, or requests that are
/// refused and repeated would fill what the later stages need to finish their work.
struct StoreRoom: Sendable {
    let percentUsed: @Sendable () -> Int
    /// At which new tasks are refused.
    let percentMaximum: Int

    func isFull(for stage: AdmissionStage) -> Bool {
        percentUsed() >= stage.percent(accepting: percentMaximum)
    }

    func check(_ stage: AdmissionStage) throws(StoreError) {
        guard isFull(for: stage) else { return }
        throw StoreError(.full, message: "Redis uses more of its maxmemory than \(stage) may fill")
    }
}
