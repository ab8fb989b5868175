import PushModel
import RedisClient
import RedisStore
import ServiceKit
import Store
import TestSupport

extension Harness {
    private static let registrationsAtOnce = 64

    /// Writes directly to the registry without syncing the append-only file: over HTTP the registrations would take
    /// longer than the task that targets them.
    func fill(_ devices: [TestDevice]) async throws {
        let log = Log(service: "test", sink: CollectingSink())
        let client = RedisClient(try RedisConfiguration(url: redis.url), log: log, metrics: Metrics())
        try await withCleanup({ await client.close() }) {
            let registry = try await RedisRegistry.open(StoreConnection(client), mode: .follower, log: log)
            _ = try await client.send(RedisCommand("CONFIG", "SET", "appendfsync", "no"))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for lane in 0..<Harness.registrationsAtOnce {
                    group.addTask {
                        for place in stride(from: lane, to: devices.count, by: Harness.registrationsAtOnce) {
                            try await Harness.register(devices[place], in: registry)
                        }
                    }
                }
                try await group.waitForAll()
            }
            _ = try await client.send(RedisCommand("CONFIG", "SET", "appendfsync", "always"))
        }
    }

    private static func register(_ device: TestDevice, in registry: RedisRegistry) async throws {
        let changes = DeviceChanges(
            language: device.language, aliases: device.user.map { [.externalUser: $0] } ?? [:])
        _ = try await registry.register(
            PushToken(device.kind, text: device.token), changes: changes, in: AppID("news"))
    }
}
