import PushModel
import Store

/// The doubt about the stores of a world, as a rebuild sees and ends it.
struct SimulatedDoubt: StoreDoubt {
    let witness: SimulatedWitness
    let seam: Seam

    func isDoubtful() async throws(StoreError) -> Bool {
        try await witness.refresh()
        return witness.epoch.isDoubtful
    }

    func removeWork() async throws(StoreError) {
        try await seam.call("doubt.removeWork") { seam.world.removeWork() }
    }

    func trust() async throws(StoreError) {
        try await seam.call("doubt.trust") { seam.world.witness.trust() }
        try await witness.refresh()
    }
}
