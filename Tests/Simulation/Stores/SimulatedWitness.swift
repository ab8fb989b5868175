import ServiceKit
import Store
import Synchronization

/// The witness of one process, by the rules of the one over Redis: it remembers the highest count, and a count that is
/// not higher proves that the store came back with older data. The store can be filled again from the bus.
final class SimulatedWitness: LedgerWitness {
    private struct State {
        var count: Int64 = 0
        var epoch = LedgerEpoch.first
    }

    private let seam: Seam
    private let state = Mutex(State())

    init(_ seam: Seam) {
        self.seam = seam
    }

    var epoch: LedgerEpoch { state.withLock { $0.epoch } }
    var floor: Int64 { state.withLock { $0.count } }

    func raise() -> Int64 { seam.world.witness.raise() }

    /// Processes a count that was raised when `floor` was the highest known one.
    func note(_ count: Int64, above floor: Int64) async throws(StoreError) {
        guard seam.world.bug != .rollbackUnnoticed else { return }
        if count <= floor {
            try await readEpoch(proof: count, floor: floor)
        } else if floor == 0 || count - floor >= WitnessCount.leap / 2 || epoch.isDoubtful {
            try await readEpoch()
        } else {
            state.withLock { $0.count = max($0.count, count) }
        }
    }

    func tick() async throws(StoreError) {
        let floor = floor
        try await note(try await seam.call("witness.raise") { raise() }, above: floor)
    }

    func refresh() async throws(StoreError) {
        try await readEpoch()
    }

    private func readEpoch(proof: Int64 = 0, floor: Int64 = 0) async throws(StoreError) {
        let witness = seam.world.witness
        let reading = try await seam.call("witness.read") { witness.read(proof: proof, floor: floor) }
        state.withLock { state in
            state.count = max(state.count, reading.count)
            state.epoch = reading.epoch
        }
    }
}
