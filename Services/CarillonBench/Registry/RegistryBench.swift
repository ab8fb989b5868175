import CommandKit
import PushModel
import RedisClient
import RedisStore
import ServiceKit
import Store

/// Memory of a filled registry, and the rate of reading audiences from it.
struct RegistryBench {
    /// Topics with three members each, like many events with a small audience.
    private static let smallTopics = 10_000
    private static let concurrency = 64

    let devices: Int

    func run(pushdBytesPerDevice: Double) async throws -> [BenchFigure] {
        let server = try await LocalRedis(isDurable: false)
        return try await server.withClient { client in
            let app = try AppID("bench")
            let registry = try await RedisRegistry.open(
                StoreConnection(client), mode: .authoritative,
                log: .bench)
            let before = try await RedisReading(client)
            let ids = try await fill(registry, app: app)
            let after = try await RedisReading(client)
            let bytes = (after.memoryBytes - before.memoryBytes) / Double(devices)
            var figures = [
                BenchFigure(
                    name: "registry.bytes_per_device", value: bytes, unit: "bytes", ratio: bytes / pushdBytesPerDevice)
            ]
            figures += try await readLarge(registry, app: app, client: client, server: server)
            figures += try await readSmall(registry, app: app, client: client, ids: ids)
            return figures
        }
    }

    private func fill(_ registry: RedisRegistry, app: AppID) async throws -> [DeviceID] {
        try await concurrently(devices) { number in
            let device = SyntheticDevice(number)
            let registration = try await registry.register(device.token(), changes: device.changes, in: app)
            var topics: [TopicName: SubscriptionOptions] = [:]
            for topic in device.topics { topics[try TopicName(topic)] = [] }
            _ = try await registry.setSubscriptions(of: registration.registered.id, to: topics, in: app)
            return registration.registered.id
        }
    }

    /// Reads every record of the topic to which all devices are subscribed.
    private func readLarge(
        _ registry: RedisRegistry, app: AppID, client: RedisClient, server: LocalRedis
    ) async throws -> [BenchFigure] {
        let bare = try await SiblingProgram("BareLoops").result(["hashes", "\(server.port)", "dev:*"])
        let audience = Audience.topic(try TopicName(SyntheticDevice.everyone))
        let meter = try await BenchMeter(client)
        let segments = try await registry.segments(of: audience, in: app)
        let counts = try await concurrently(segments.count) { position in
            let segment = SegmentID(app, number: segments[position])
            let selection = try await registry.select(audience, in: segment)
            return try await registry.devices(at: selection.members, in: segment).count
        }
        let used = try await meter.read()
        let read = counts.reduce(0, +)
        guard read == devices else { throw BenchError("\(read) of \(devices) devices were read") }
        return [
            BenchFigure(
                name: "registry.audience_large.rate", value: Double(read) / used.seconds, unit: "devices/s",
                ratio: bare.seconds / used.seconds)
        ] + used.figures("registry.audience_large", per: 100_000, of: read)
    }

    private func readSmall(
        _ registry: RedisRegistry, app: AppID, client: RedisClient, ids: [DeviceID]
    ) async throws -> [BenchFigure] {
        _ = try await concurrently(RegistryBench.smallTopics * 3) { number in
            let topic = try TopicName("small-\(number / 3)")
            _ = try await registry.subscribe(ids[number * 7 % ids.count], to: topic, options: [], in: app)
        }
        let meter = try await BenchMeter(client)
        let counts = try await concurrently(RegistryBench.smallTopics) { number in
            let audience = Audience.topic(try TopicName("small-\(number)"))
            var count = 0
            for number in try await registry.segments(of: audience, in: app) {
                let segment = SegmentID(app, number: number)
                let selection = try await registry.select(audience, in: segment)
                count += try await registry.devices(at: selection.members, in: segment).count
            }
            return count
        }
        let used = try await meter.read()
        let read = counts.reduce(0, +)
        guard read == RegistryBench.smallTopics * 3 else { throw BenchError("\(read) devices of small topics") }
        return [
            BenchFigure(
                name: "registry.audience_small.rate", value: Double(read) / used.seconds, unit: "devices/s")
        ] + used.figures("registry.audience_small", per: 100_000, of: read)
    }

    /// Returns the results in order; concurrency is bounded.
    private func concurrently<Result: Sendable>(
        _ count: Int, body: @escaping @Sendable (Int) async throws -> Result
    ) async throws -> [Result] {
        try await Concurrently.run(count, atOnce: RegistryBench.concurrency, body: body)
    }
}
