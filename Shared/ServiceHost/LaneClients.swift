package import RedisClient
package import ServiceKit
package import Topics

/// A client of the store's Redis for each lane. Redis serves the commands of a connection one after another: what one
/// device's push asks is not to stand behind the hundreds of claims that a broadcast has under way.
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

    /// They are connected to the same Redis.
    package var readiness: Health.Readiness { bulk.readiness() }

    package func close() async {
        await fast.close()
        await bulk.close()
    }
}
