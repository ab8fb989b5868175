import Bus
import CommandKit
import PushModel
import RedisStore
import RegistryLog
import ServiceKit
import Store

/// A rebuild of the registry from an in-memory log into a Redis that syncs every write to disk.
struct RebuildBench {
    let devices: Int

    func run() async throws -> [BenchFigure] {
        let server = try await LocalRedis()
        return try await server.withClient { client in
            let log = Log.bench
            let app = try AppID("bench")
            let connection = StoreConnection(client, pipelineMaximum: RegistryRebuild.pipelineMaximum)
            let registry = try await RedisRegistry.open(connection, mode: .follower, log: log)
            let source = SyntheticLog(devices: devices, app: app)
            let rebuild = RegistryRebuild(
                bus: source, maintenance: registry, environment: WorkerEnvironment(log: log))
            let meter = try await BenchMeter(client)
            let progress = try await rebuild.run { _ in }
            let used = try await meter.read()
            let found = try await registry.size(of: .everyone, in: app)
            guard progress.devices == devices, found == devices else {
                throw BenchError("\(found) of \(devices) devices were rebuilt")
            }
            let seconds = used.seconds - source.secondsOfMaking
            return [
                BenchFigure(
                    name: "registry.rebuild.rate", value: Double(progress.records) / seconds, unit: "records/s")
            ] + used.figures("registry.rebuild", per: 100_000, of: progress.records)
        }
    }
}
