import PushModel
import Store

/// The doubt about the stores of a world, as a rebuild sees and ends it.
struct SimulatedDoubt: StoreDoubt {
    let witness: SimulatedWitness
    let seam: Seam

    func currentEpoch() async throws(StoreError) -> LedgerEpoch {
        try await witness.refresh()
        return witness.epoch
    }

    func removeWork() async throws(StoreError) {
        try await seam.call("doubt.removeWork") { seam.world.removeWork() }
    }

    func trust(in epoch: LedgerEpoch) async throws(StoreError) -> Bool {
        try await witness.tick()
        let shared = seam.world.witness
        let trusted = seam.world.bug == .laterLossTrusted ? shared.epoch : epoch
        let isCurrent = try await seam.call("doubt.trust") { shared.trust(in: trusted) }
        try await witness.refresh()
        return isCurrent
    }
}
