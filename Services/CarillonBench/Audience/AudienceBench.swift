import CommandKit
import JSONKit
import PushModel
import RedisClient
import RedisStore
import ServiceKit
import Store

/// A filter that few of many devices match, with and without single pushes beside it, and a count by platform.
struct AudienceBench {
    private static let matching = 100
    private static let timeZone = "Europe/Helsinki"
    private static let singlePushes = 200
    private static let pause = Duration.milliseconds(20)

    let pipeline: PipelineBench

    private var name: String { pipeline.devices == 1_000_000 ? "audience.filter_1m" : "audience.filter" }
    private var time: SystemTimeSource { SystemTimeSource() }

    func run() async throws -> [BenchFigure] {
        pipeline.say("registering \(pipeline.devices) devices")
        let (_, huawei) = try await pipeline.fill()
        try await addMatching()
        pipeline.say("\(AudienceBench.singlePushes) pushes to one device, one after another")
        let idle = try await pipeline.latencies(AudienceBench.singlePushes, to: huawei, of: "huawei")
        pipeline.say("a filter that \(AudienceBench.matching) of all devices match")
        let filtered = try await filter()
        pipeline.say("single pushes beside such filters")
        let beside = try await latenciesBesideFilters(to: huawei)
        pipeline.say("a count of the same filter by platform")
        let counted = try await count()
        return [
            BenchFigure(name: "\(name).seconds", value: filtered, unit: "s"),
            BenchFigure(name: "audience.count.seconds", value: counted, unit: "s"),
            BenchFigure(name: "audience.push_idle.p99", value: idle.percentile(99), unit: "ms"),
            BenchFigure(name: "audience.push_beside.p99", value: beside.percentile(99), unit: "ms"),
            BenchFigure(name: "audience.push_beside.count", value: Double(beside.count), unit: "pushes"),
        ]
    }

    private func addMatching() async throws {
        let client = RedisClient(
            try RedisConfiguration(url: pipeline.harness.redis), log: .bench, metrics: Metrics())
        do {
            let registry = try await RedisRegistry.open(StoreConnection(client), mode: .authoritative, log: .bench)
            let app = try AppID("demo")
            for number in 0..<AudienceBench.matching {
                let device = SyntheticDevice(pipeline.devices + number)
                _ = try await registry.register(
                    device.token(), changes: DeviceChanges(timeZone: AudienceBench.timeZone), in: app)
            }
            await client.close()
        } catch {
            await client.close()
            throw error
        }
    }

    private func postFilter() async throws -> String {
        try await pipeline.postTask(#"{"audience":{"time_zone":"Europe/*"},"message":{"title":"Hello"}}"#)
    }

    /// Seconds from the request to the last push that the simulator accepts.
    private func filter() async throws -> Double {
        let before = try await pipeline.accepted()
        let posted = time.uptime
        let task = try await postFilter()
        while try await pipeline.accepted() < before + AudienceBench.matching {
            try await time.sleep(for: AudienceBench.pause)
        }
        let seconds = (time.uptime - posted).inSeconds
        try await pipeline.isClosed(task)
        return seconds
    }

    /// One filter after another, until enough single pushes have been measured beside them.
    private func latenciesBesideFilters(to device: DeviceID) async throws -> [Double] {
        var latencies: [Double] = []
        while latencies.count < AudienceBench.singlePushes {
            let before = try await pipeline.accepted() - latencies.count
            let task = try await postFilter()
            while try await pipeline.accepted() - latencies.count < before + AudienceBench.matching {
                latencies += try await pipeline.latencies(1, to: device, of: "huawei")
            }
            try await pipeline.isClosed(task)
        }
        return latencies
    }

    private func count() async throws -> Double {
        let started = time.uptime
        let answer = try await pipeline.http.post(
            "\(pipeline.harness.url)/v1/audiences/count", body: #"{"audience":{"time_zone":"Europe/*"}}"#,
            type: "application/json", key: pipeline.harness.key)
        guard answer.count("devices") == AudienceBench.matching else {
            throw BenchError("the count is not \(AudienceBench.matching): \(answer.compactText)")
        }
        return (time.uptime - started).inSeconds
    }
}
