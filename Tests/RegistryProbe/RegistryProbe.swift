import Bus
import PushModel
import RedisClient
import RedisStore
import RegistryLog
import ServiceHost
import ServiceKit
import Store

/// A service that registers one device in the log without applying the record, for the test that kills it in between.
@main struct RegistryProbe {
    static func main() async {
        await ServiceHost.main(
            "registry-probe", purpose: "registers one device, and does not apply the log",
            configuration: { ProbeConfiguration(environment: &$0) },
            build: { context, configuration in
                let (bus, environment) = (context.bus, context.environment)
                let client = RedisClient(
                    try RedisConfiguration(url: configuration.redis), log: environment.log,
                    metrics: environment.metrics)
                let store = try await context.untilReachable {
                    try await RedisRegistry.open(StoreConnection(client), mode: .follower, log: environment.log)
                }
                let log = try await context.untilReachable {
                    try await RegistryLog(
                        bus: bus, environment: environment, projection: store, maintenance: store,
                        options: .init(patience: .seconds(60)))
                }
                return [
                    log.journal,
                    Registering(registry: store.writing(through: log.journal), token: configuration.token),
                ]
            })
    }
}

struct ProbeConfiguration: Sendable {
    let redis: String
    let token: String

    init(environment: inout EnvironmentReader) {
        redis = environment.text("PROBE_REDIS", default: "", meaning: "Where the registry is.")
        token = environment.text("PROBE_TOKEN", default: "", meaning: "The APNs token to register.")
    }
}

struct Registering: Service {
    let name = "registering"
    let registry: any Registry
    let token: String
    private let stopRequested = OneTimeEvent()

    init(registry: any Registry, token: String) {
        self.registry = registry
        self.token = token
    }

    func run() async throws {
        _ = try await registry.register(
            try PushToken(.apns, text: token), changes: DeviceChanges(language: "de"), in: try AppID("probe"))
        await stopRequested.wait()
    }

    func stop() {
        stopRequested.happen()
    }
}
