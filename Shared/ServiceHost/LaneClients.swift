package import RedisClient
package import ServiceKit
package import Topics

/// One client of the store's Redis per lane. Redis serves the commands of a connection one after another: the commands
/// for a single push must not queue behind the hundreds of claims of a broadcast.
package struct LaneClients: Sendable {
    private let fast: RedisClient
    private let bulk: RedisClient

    init(fast: RedisClient, bulk: RedisClient) {
        self.fast = fast
        self.bulk = bulk
    }

    package subscript(lane: Lane) -> RedisClient {
        switch lane {
        case .fast: fast
        case .bulk: bulk
        }
    }

    /// Both clients use the same Redis.
    package var readiness: Health.Readiness { bulk.readiness() }

    package func close() async {
        await fast.close()
        await bulk.close()
    }
}
