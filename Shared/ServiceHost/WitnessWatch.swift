import RedisStore
import ServiceKit
import Store

/// Checks the store's witness each second, so that a rollback of the store is detected even without claims. Takes a
/// registry that was rolled back out of use where it can be rebuilt. Ends the process if a newer version has upgraded
/// the store's format.
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
            // Other errors of Redis are reported by its users and in `/readyz`.
            try? await check()
            if let format = witness.newerFormat { throw StoreFormatError(format: format) }
        } while await !stopped.wait(atMost: WitnessWatch.interval, time: time)
    }

    func stop() {
        stopped.happen()
    }

    private func check() async throws(StoreError) {
        try await witness.tick()
        if witness.epoch.isDoubtful { try await registry?.distrust(witness) }
    }
}

/// Redis has a format that this version does not know.
private struct StoreFormatError: Error, CustomStringConvertible {
    let format: Int64
    var description: String { "Redis is kept in format \(format), unknown to this version; start the newer version" }
}
