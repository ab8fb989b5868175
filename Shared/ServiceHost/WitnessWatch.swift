import RedisStore
import ServiceKit
import Store

/// Asks the witness of the store each second, so that a store that went back is noticed also while nothing is claimed,
/// and takes a registry that went back out of use where it can be filled again. Ends the process where a newer version
/// has begun to keep the store in its own way.
struct WitnessWatch: Service {
    private static let interval = Duration.seconds(1)

    let name = "store witness"
    let witness: RedisWitness
    let registry: RedisRegistry?
    let time: any TimeSource
    private let stopped = OneTimeEvent()

    init(_ witness: RedisWitness, over registry: RedisRegistry?, time: any TimeSource) {
        self.witness = witness
        self.registry = registry
        self.time = time
    }

    func run() async throws {
        repeat {
            // What Redis answers instead is told by all who need it, and in `/readyz`.
            try? await look()
            if let format = witness.newerFormat { throw StoreFormatError(format: format) }
        } while await !stopped.wait(atMost: WitnessWatch.interval, time: time)
    }

    func stop() {
        stopped.happen()
    }

    private func look() async throws(StoreError) {
        try await witness.tick()
        if witness.epoch.isDoubtful { try await registry?.distrust(witness) }
    }
}

/// Redis is kept in a format of which this version knows nothing.
private struct StoreFormatError: Error, CustomStringConvertible {
    let format: Int64
    var description: String { "Redis is kept in format \(format): start the version that it was upgraded to" }
}
