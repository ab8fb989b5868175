import ServiceKit
import Store

/// Raises the witness of a process each second, as `WitnessWatch` does, and takes a registry that was rolled back out
/// of use.
struct SimulatedWitnessWatch: Service {
    private static let interval = Duration.seconds(1)

    let name = "store witness"
    private let witness: SimulatedWitness
    private let registry: SimulatedRegistry?
    private let time: any TimeSource
    private let stopped = OneTimeEvent()

    init(witness: SimulatedWitness, over registry: SimulatedRegistry?, time: any TimeSource) {
        self.witness = witness
        self.registry = registry
        self.time = time
    }

    func run() async throws {
        repeat {
            try? await check()
            // A process that was killed waits no more.
            if Task.isCancelled { return }
        } while await !stopped.wait(atMost: SimulatedWitnessWatch.interval, time: time)
    }

    func stop() {
        stopped.happen()
    }

    private func check() async throws(StoreError) {
        try await witness.tick()
        if witness.epoch.isDoubtful { try await registry?.distrust(witness) }
    }
}
