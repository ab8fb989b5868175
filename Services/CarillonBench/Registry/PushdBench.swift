import CommandKit
import RedisClient
import ServiceKit

/// Memory of the same devices in pushd's layout.
struct PushdBench {
    let devices: Int

    func run() async throws -> BenchFigure {
        try await LocalRedis(isDurable: false).withClient { client in
            let before = try await RedisReading(client)
            try await PushdLayout(client: client).fill(devices: devices)
            let after = try await RedisReading(client)
            return BenchFigure(
                name: "registry.bytes_per_device_pushd_layout",
                value: (after.memoryBytes - before.memoryBytes) / Double(devices), unit: "bytes")
        }
    }
}
