import RedisClient
import ServiceKit

/// Closes the connection to the ledger when everybody who uses it has stopped.
struct LedgerConnection: Service {
    let name = "ledger connection"
    private let redis: RedisClient
    private let stopped = OneTimeEvent()

    init(_ redis: RedisClient) {
        self.redis = redis
    }

    func run() async {
        await stopped.wait()
        await redis.close()
    }

    func stop() {
        stopped.happen()
    }
}
