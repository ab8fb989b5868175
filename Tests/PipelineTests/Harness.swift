import Bus
import JSONKit
import KafkaBus
import PushModel
import RedisBus
import RedisClient
import ServiceKit
import TestSupport
import Testing
import Topics

/// The whole pipeline: every service as a process, a real Redis, the provider simulator, and either bus. Clients on
/// loopback have all scopes for its apps `news` and `shop`; Apple rejects the settings of `shop`.
final class Harness: Sendable {
    enum BusKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case embedded
        case kafka

        var testDescription: String { rawValue }
    }

    /// In the order in which a push passes them.
    static let services = [
        "ingest-api", "targeting-resolver", "renderer", "apns-sender", "android-sender", "scheduler", "reporter",
    ]

    /// The `app_id` of the app `news` for AppMetrica's clients.
    static let appMetricaID = 1
    /// The `bundle_id` of the app `news` for ContextPush's clients.
    static let contextPushID = "com.example.news"

    /// Holds registry, ledger and archive; with the embedded bus also the bus, unless a test separates them.
    let redis: RedisServer
    let busServer: BusServer
    let simulator: SimulatorProcess
    let bus: any Bus
    let reports: Reports
    private let apps = TemporaryDirectory("apps")
    private let shared: [String: String]
    private let processes: Monitor<[ServiceProcess]>

    /// One process of each service, unless `instances` says otherwise. `limits` are those of the app `news`, whose
    /// webhook is at this address.
    init(
        _ kind: BusKind, changes: [String: String] = [:], instances: [String: Int] = [:], hasOwnStore: Bool = false,
        limits: String = "{}", webhook: String? = nil, simulator simulatorChanges: [String: String] = [:]
    ) async throws {
        redis = try await Harness.startRedis()
        switch kind {
        case .embedded: busServer = .redis(hasOwnStore ? try await Harness.startRedis() : redis)
        case .kafka: busServer = .kafka(try await Harness.startKafka())
        }
        simulator = try await SimulatorProcess(simulatorChanges)
        // Without it pushes carry no proofs.
        apps.write(".pepper", content: "a pepper of thirty-two bytes or more")
        try Harness.writeApp(
            "news", topic: simulator.text("apns", "topic"), limits: limits, webhook: webhook, into: apps,
            simulator: simulator)
        // Apple does not accept its key for this topic, which is an error in its settings.
        try Harness.writeApp("shop", topic: "com.example.elsewhere", into: apps, simulator: simulator)
        shared = Harness.settings(bus: busServer.url, redis: redis.url, apps: apps.path, simulator)
            .merging(changes) { $1 }
        bus = try Harness.bus(busServer.url)
        reports = try await Reports(bus)
        let all = Harness.services.flatMap { [shared] name in
            (0..<(instances[name] ?? 1)).map { _ in ServiceProcess(name, settings: shared) }
        }
        processes = Monitor(all)
        // ingest-api creates the registry that the others use.
        for process in all where process.name == Harness.services[0] { try await process.start() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for process in all where process.name != Harness.services[0] {
                group.addTask { try await process.start() }
            }
            try await group.waitForAll()
        }
        // With Kafka its port is open before the registry is complete.
        for ingest in ingests {
            guard try await ingest.answers(404, path: "/apps/news/subscriber/AAAAAAAAAAA") else {
                throw SetupError(description: "the registry does not become ready: \(lines)")
            }
        }
    }

    /// Bootstrap servers of Kafka; nil on the embedded bus.
    var brokers: String? {
        guard case .kafka(let server) = busServer else { return nil }
        return server.bootstrap
    }

    var running: [ServiceProcess] { processes.withLock { $0 } }

    func running(_ name: String) -> [ServiceProcess] { running.filter { $0.name == name } }

    var ingests: [IngestClient] { running(Harness.services[0]).map { IngestClient(port: $0.port) } }

    /// The client of the first ingest-api.
    var ingest: IngestClient { ingests[0] }

    func process(_ name: String) throws -> ServiceProcess {
        try #require(running(name).first, "there is no service \(name)")
    }

    func killAndRestart(_ name: String) async throws {
        let service = try process(name)
        await service.kill()
        try await service.start()
    }

    /// Starts one more process of a service.
    func join(_ name: String) async throws -> ServiceProcess {
        let process = ServiceProcess(name, settings: shared)
        processes.change { $0.append(process) }
        try await process.start()
        return process
    }

    /// Removes the first process of a service from the harness: the test ends it.
    func dismiss(_ name: String) throws -> ServiceProcess {
        let process = try process(name)
        processes.change { all in all.removeAll { $0 === process } }
        return process
    }

    /// Deletes everything in Redis; every service continues.
    func emptyRedis() async throws {
        try await withRedis { _ = try await $0.send(RedisCommand("FLUSHALL")) }
    }

    /// Kills a rebuild once it has begun with the task. Polls Redis, which cannot notify.
    func cutOffRebuild(at task: TaskID) async throws {
        let process = try startRebuild()
        let question = RedisCommand("HEXISTS", RedisArgument("task:{\(task.key)}"), "plan")
        try await withRedis { redis in
            try await waitUntil { try await redis.send(question) == .integer(1) || process.ending != nil }
        }
        process.signal(9)
        _ = await process.end()
    }

    /// Output of `carillon rebuild`, run to its end.
    func rebuild() async throws -> [String] {
        let process = try startRebuild()
        await process.line { _ in false }
        guard await process.end() == .exited(0) else {
            throw SetupError(description: "the rebuild failed: \(process.lines)")
        }
        return process.lines
    }

    private func startRebuild() throws -> ChildProcess {
        try ChildProcess(builtExecutable("carillon"), arguments: ["rebuild", "--yes"], environment: shared)
    }

    func withRedis(_ body: (RedisClient) async throws -> Void) async throws {
        let client = RedisClient(
            try RedisConfiguration(url: redis.url), log: Log(service: "test", level: .error), metrics: Metrics())
        try await body(client)
        await client.close()
    }

    /// The services' last log lines, for a failing test.
    var lines: String {
        running.map { "\($0.name):\n" + $0.lines.joined(separator: "\n") }.joined(separator: "\n")
    }

    /// Stops everything; each service must exit without being killed.
    func close() async throws {
        await reports.close()
        await bus.close()
        await withTaskGroup(of: Void.self) { group in
            for process in running {
                group.addTask {
                    let ending = await process.stop()
                    #expect(ending == .exited(0), "\(process.name): \(process.lines)")
                }
            }
        }
        _ = await simulator.stop()
        await redis.stop()
    }

    private static func startRedis() async throws -> RedisServer {
        var options = RedisServer.Options.forStores
        options.isDurable = true
        return try await RedisServer(options)
    }

    private static func startKafka() async throws -> KafkaMockServer {
        let kafka = try await KafkaMockServer(brokers: 1)
        for channel in Topics.all.flatMap(\.channels) {
            // Few partitions, since the mock brokers answer each empty fetch separately.
            let count = channel == Topics.registry.channel ? channel.declaration.partitions.kafka : 4
            try await kafka.perform("create topic \(channel.name) \(count)")
        }
        return kafka
    }

    private static func settings(
        bus: String, redis: String, apps: String, _ simulator: SimulatorProcess
    ) -> [String: String] {
        let authority = simulator.text("ca_file")
        return [
            "CARILLON_BUS": bus, "CARILLON_REDIS": redis, "CARILLON_APPS": apps,
            "CARILLON_BUS_LEASE": "2s", "CARILLON_BUS_HEARTBEAT": "300ms", "CARILLON_WORKER_BACKOFF_LONGEST": "1s",
            "CARILLON_KAFKA_FETCH_WAIT_MAX_MS": "10", "CARILLON_KAFKA_SESSION_TIMEOUT_MS": "6000",
            "CARILLON_KAFKA_HEARTBEAT_INTERVAL_MS": "200",
            "CARILLON_APNS_HOST": simulator.text("host"), "CARILLON_APNS_SANDBOX_HOST": simulator.text("host"),
            "CARILLON_APNS_CHANNEL_HOST": simulator.text("host"),
            "CARILLON_APNS_CHANNEL_PORT": "\(simulator.port("apns"))",
            "CARILLON_APNS_SANDBOX_CHANNEL_HOST": simulator.text("host"),
            "CARILLON_APNS_SANDBOX_CHANNEL_PORT": "\(simulator.port("apns"))",
            "CARILLON_APNS_PORT": "\(simulator.port("apns"))", "CARILLON_APNS_CA_FILE": authority,
            "CARILLON_APNS_REQUEST_LIMIT": "5s", "CARILLON_APNS_LEASE_MARGIN": "2s",
            // Work of a killed process is taken over soon: tests that kill one wait for it.
            "CARILLON_ANDROID_TOKEN_LIMIT": "5s", "CARILLON_ANDROID_LEASE_MARGIN": "2s",
            "CARILLON_SCHEDULER_LEASE": "5s", "CARILLON_REPORTER_LEASE": "5s",
            "CARILLON_REPORTER_ALLOW_ADDRESSES": "127.0.0.1", "CARILLON_REPORTER_WEBHOOK_DEADLINE": "2s",
            "CARILLON_FCM_HOST": simulator.text("host"), "CARILLON_FCM_PORT": "\(simulator.port("fcm"))",
            "CARILLON_FCM_CA_FILE": authority, "CARILLON_FCM_REQUEST_LIMIT": "5s",
            "CARILLON_HUAWEI_URL": "https://localhost:\(simulator.port("huawei"))",
            "CARILLON_HUAWEI_TOKEN_URL":
                "https://localhost:\(simulator.port("huawei"))\(simulator.text("huawei", "token_path"))",
            "CARILLON_HUAWEI_CA_FILE": authority, "CARILLON_HUAWEI_REQUEST_LIMIT": "5s",
        ]
    }

    private static func writeApp(
        _ name: String, topic: String, limits: String = "{}", webhook: String? = nil, into folder: TemporaryDirectory,
        simulator: SimulatorProcess
    ) throws {
        let apns = JSONText.object { json in
            json.member("topic", topic)
            for field in ["key_file", "key_id", "team_id"] {
                json.member(field, simulator.text("apns", field))
            }
        }
        let fcm = JSONText.object { json in
            json.member("service_account_file", simulator.text("fcm", "service_account_file"))
        }
        let huawei = JSONText.object { json in
            json.member("client_id", simulator.text("huawei", "client_id"))
            json.member("client_secret_file", simulator.text("huawei", "client_secret_file"))
        }
        let identifiers = JSONText.object { json in
            json.member("richie", "example-\(name)")
            if name == "news" {
                json.member("appmetrica", appMetricaID)
                json.member("contextpush", contextPushID)
            }
        }
        var more = ""
        if let webhook {
            folder.write("secret", content: "\(WebhookReceiver.secret)\n")
            folder.write("signing-key", content: WebhookReceiver.signingKey)
            let files = #""secret_file":"secret","signing_key_file":"signing-key""#
            more = #","webhook":{"url":"\#(webhook)",\#(files)}"#
        }
        let scopes = JSONText.array(["publish", "broadcast", "register", "read", "listen", "admin"])
        folder.write(
            "\(name).json",
            content: """
                {"identifiers":\(identifiers),"providers":{"apns":\(apns),"fcm":\(fcm),"huawei":\(huawei)},
                "allow":[{"range":"127.0.0.0/8","scopes":\(scopes)}],"limits":\(limits)\(more)}
                """)
    }

    private static func bus(_ url: String) throws -> any Bus {
        let time = SystemTimeSource()
        let environment = WorkerEnvironment(
            time: time, random: SystemRandomSource(), log: Log(service: "test", level: .error), metrics: Metrics(),
            health: Health(time: time))
        guard url.hasPrefix("kafka://") else {
            return RedisBus(
                redis: try RedisConfiguration(url: url), RedisBusConfiguration(), log: environment.log,
                metrics: environment.metrics, health: environment.health, time: time, random: environment.random)
        }
        var configuration = try KafkaConfiguration(url: url)
        for (name, value) in [("fetch.wait.max.ms", "10"), ("session.timeout.ms", "6000")] {
            configuration.set(name, value)
        }
        return try KafkaBus(configuration, environment: environment)
    }
}
