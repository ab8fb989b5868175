import ServiceKit
import Store
import Synchronization

/// The witness of one process, which decides as the one over Redis. The store can be filled again from the bus.
final class SimulatedWitness: LedgerWitness {
    private let seam: Seam
    private let memory: Mutex<WitnessMemory>

    init(_ seam: Seam) {
        self.seam = seam
        memory = Mutex(WitnessMemory(writer: seam.seed()))
    }

    var epoch: LedgerEpoch { memory.withLock { $0.epoch } }
    /// To be made before `perform`.
    var nextRaise: WitnessMemory.Raise { memory.withLock { $0.raise } }

    func perform(_ raise: WitnessMemory.Raise) -> WitnessMemory.Answer {
        seam.world.witness.raise(by: raise.writer)
    }

    func note(_ answer: WitnessMemory.Answer, of raise: WitnessMemory.Raise) async throws(StoreError) {
        guard seam.world.bug != .rollbackUnnoticed else { return }
        switch memory.withLock({ $0.note(answer, of: raise) }) {
        case .asBefore: break
        case .mayHaveChanged: try await readEpoch()
        case .lost(let proof): try await readEpoch(proof: proof, floor: raise.floor)
        }
    }

    func tick() async throws(StoreError) {
        let raise = nextRaise
        try await note(try await seam.call("witness.raise") { perform(raise) }, of: raise)
    }

    func refresh() async throws(StoreError) {
        try await readEpoch()
    }

    private func readEpoch(proof: Int64 = 0, floor: Int64 = 0) async throws(StoreError) {
        let witness = seam.world.witness
        let reading = try await seam.call("witness.read") { witness.read(proof: proof, floor: floor) }
        _ = memory.withLock { $0.learn(reading.epoch, count: reading.count) }
    }
}
