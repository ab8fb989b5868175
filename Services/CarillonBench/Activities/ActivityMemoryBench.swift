import CommandKit
import PushModel
import RedisClient
import RedisStore
import Store

/// Memory of the tokens of an activity in Redis.
struct ActivityMemoryBench {
    let tokens: Int

    func run() async throws -> BenchFigure {
        let server = try await LocalRedis(isDurable: false)
        return try await server.withClient { client in
            let registry = try await RedisRegistry.open(StoreConnection(client), mode: .authoritative, log: .bench)
            let app = try AppID("bench")
            let audience = ActivityAudience(count: tokens)
            // The first one before, so that the server has the scripts and their buffers.
            try await audience.registerTokens(of: devices(1), in: registry, of: app)
            let before = try await RedisReading(client)
            try await audience.registerTokens(of: devices(tokens), in: registry, of: app)
            let after = try await RedisReading(client)
            return BenchFigure(
                name: "activities.bytes_per_token",
                value: (after.memoryBytes - before.memoryBytes) / Double(tokens - 1), unit: "bytes")
        }
    }

    private func devices(_ count: Int) -> [DeviceID] {
        (0..<count).map { DeviceID(index: DeviceIndex(rawValue: UInt32($0)), tag: 1) }
    }
}
