import PushModel
import RedisStore
import ServiceKit
import Store

/// Devices of the benchmark that run one Live Activity, the same in every run.
struct ActivityAudience: Sendable {
    static let activity = "match-17"
    /// Of Apple's tokens of activities, as its phones report them.
    private static let digitsOfToken = 160
    private static let digitsOfDevice = 64

    let count: Int

    /// The devices, each subscribed to `SyntheticDevice.everyone`.
    func registerDevices(in registry: RedisRegistry, of app: AppID) async throws -> [DeviceID] {
        let topic = try TopicName(SyntheticDevice.everyone)
        return try await Concurrently.run(count, atOnce: PipelineBench.registrationsAtOnce) { number in
            let digits = ActivityAudience.digits(ActivityAudience.digitsOfDevice, of: number)
            return try await register(
                try PushToken(.apns, text: digits), aliases: [.externalUser: "user-\(number)"], topic: topic,
                in: registry, of: app)
        }
    }

    /// The tokens of their activities, as `ingest-api` registers them: under the id of the device.
    func registerTokens(of devices: [DeviceID], in registry: RedisRegistry, of app: AppID) async throws {
        let topic = try ActivityID(ActivityAudience.activity).topic
        _ = try await Concurrently.run(devices.count, atOnce: PipelineBench.registrationsAtOnce) { number in
            // Other digits than those of the devices.
            let digits = ActivityAudience.digits(ActivityAudience.digitsOfToken, of: count + number)
            _ = try await register(
                try PushToken(.liveActivity, text: digits),
                aliases: [.hardware: devices[number].description], topic: topic, in: registry, of: app.activities)
        }
    }

    private func register(
        _ token: PushToken, aliases: [Alias.Kind: String], topic: TopicName, in registry: RedisRegistry, of app: AppID
    ) async throws -> DeviceID {
        let registration = try await registry.register(token, changes: DeviceChanges(aliases: aliases), in: app)
        let id = registration.registered.id
        _ = try await registry.subscribe(id, to: topic, options: [], in: app)
        return id
    }

    private static func digits(_ count: Int, of number: Int) -> String {
        let random = SeededRandomSource(seed: UInt64(number))
        return (0..<count / 16).map { _ in random.hexadecimal() }.joined()
    }
}
