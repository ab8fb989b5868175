import HTTP2
import HTTPClient
import RedisClient
import ServiceKit

/// Closes what all gateways share, when everybody who sends has stopped.
struct SharedConnections: Service {
    let name = "connections to providers"
    let pool: HTTP2Pool
    let clients: [HTTPClient]
    let redis: RedisClient
    private let stopped = OneTimeEvent()

    init(pool: HTTP2Pool, clients: [HTTPClient], redis: RedisClient) {
        self.pool = pool
        self.clients = clients
        self.redis = redis
    }

    func run() async {
        await stopped.wait()
        await pool.close()
        for client in clients { await client.close(within: .seconds(1)) }
        await redis.close()
    }

    func stop() {
        stopped.happen()
    }
}
