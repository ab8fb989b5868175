import Bus
import PushModel
import RedisBus
import RedisClient
import RedisStore
import ServiceKit
import Signing
import Store
import TestSupport
import Testing
import Topics

/// The simulator, a Redis with bus, registry and ledger, apps with the simulator's credentials, and the real programs
/// that a test starts.
final class SenderHarness: Sendable {
    let simulator: SimulatorProcess
    let bus: RedisBus
    let ledger: RedisLedger
    /// Of all apps.
    let webPushKey: VAPIDKey
    private let server: RedisServer
    private let redis: RedisClient
    private let apps = TemporaryDirectory("apps")
    private let programs = Monitor<[RunningProgram]>([])

    init(apps names: [String], simulator settings: [String: String]) async throws {
        simulator = try await SimulatorProcess(settings)
        server = try await RedisServer(.forStores)
        let configuration = try RedisConfiguration(url: server.url)
        let (log, time) = (Log(service: "test", level: .error), SystemTimeSource())
        bus = RedisBus(
            redis: configuration, RedisBusConfiguration(), log: log, metrics: Metrics(), health: Health(time: time),
            time: time, random: SystemRandomSource())
        redis = RedisClient(configuration, log: log, metrics: Metrics())
        ledger = RedisLedger(StoreConnection(redis))
        webPushKey = try VAPIDKey.generated()
        apps.write("webpush.pem", content: try webPushKey.privateKeyText().reveal())
        for name in names { apps.write("\(name).json", content: appFile) }
    }

    /// Starts a service that sends to the simulator; returns when it runs.
    func start(_ name: String, settings: [String: String] = [:]) async throws -> RunningProgram {
        let program = try await RunningProgram(name, settings: surroundings.merging(settings) { $1 })
        programs.change { $0.append(program) }
        return program
    }

    /// Starts two senders and waits until each has partitions: before that, the first would read everything.
    func startTwo(
        _ name: String, reading channel: Channel, settings: [String: String]
    ) async throws -> [RunningProgram] {
        let both = [try await start(name, settings: settings), try await start(name, settings: settings)]
        let assigned = #"carillon_bus_assigned_partitions{topic="\#(channel.name)",group="\#(name)"}"#
        for program in both { try await program.hasCounted(assigned) }
        return both
    }

    /// Returns numbered tokens of a kind, which are addresses of the simulator if the kind has addresses.
    func tokens(_ kind: PushProtocol, numbers: Range<Int>, trouble: String = "") throws -> [PushToken] {
        try PushToken.numbered(
            kind, numbers: numbers, trouble: trouble, endpoint: simulator.text(kind.name, "endpoint"))
    }

    /// Gives the browsers among the devices the keys of their subscriptions.
    func subscribe(_ shipment: inout Shipment) async throws {
        let endpoint = simulator.text("webpush", "endpoint")
        let places = shipment.addressees.indices.filter { shipment.addressees[$0].device.token.kind == .webpush }
        for start in stride(from: 0, to: places.count, by: 1_000) {
            let part = places[start..<min(start + 1_000, places.count)]
            let names = part.map { String(shipment.addressees[$0].device.token.text.dropFirst(endpoint.count)) }
            for (place, keys) in zip(part, try await simulator.subscriptions(names)) {
                shipment.addressees[place].device.webPushKeys = keys
            }
        }
    }

    /// Writes the task's plan and marks to the ledger, and its chunks to the bus, each `times` times.
    func dispatch(_ shipment: Shipment, times: Int = 1) async throws {
        let deadline = SystemTimeSource().now + .seconds(3_600)
        _ = try await ledger.plan(
            shipment.task,
            as: TaskPlan(
                app: shipment.app, jobs: 1, isFast: false, deadline: deadline,
                policy: shipment.isAtMostOnce ? .atMostOnce : .atLeastOnce))
        for (segment, offsets) in shipment.marks {
            _ = try await ledger.mark(offsets, of: shipment.task, in: segment)
        }
        let producer = try await bus.makeProducer(ProducerOptions())
        let chunks = shipment.chunks()
        for _ in 0..<times { _ = try await producer.send(chunks.map(Renderer.message)) }
        await producer.close()
    }

    /// Registers devices, so that the scheduler can look them up.
    func register(_ tokens: [PushToken], in app: AppID) async throws -> [Shipment.Addressee] {
        let registry = try await RedisRegistry.open(
            StoreConnection(redis), mode: .authoritative, log: Log(service: "test", level: .error))
        return try await withThrowingTaskGroup(of: [Shipment.Addressee].self) { tasks in
            for start in stride(from: 0, to: tokens.count, by: 100) {
                tasks.addTask {
                    var addressees: [Shipment.Addressee] = []
                    for token in tokens[start..<min(start + 100, tokens.count)] {
                        let known = try await registry.register(token, changes: DeviceChanges(), in: app).registered
                        addressees.append(Shipment.Addressee(index: known.id.index, device: known.device))
                    }
                    return addressees
                }
            }
            return try await tasks.reduce(into: []) { $0 += $1 }
        }
    }

    /// Renders the chunks that the scheduler releases while the body runs.
    func whileRendering(_ body: () async throws -> Void) async throws {
        try await withRunning(try await RendererStandIn(bus), body: body)
    }

    /// The ledger's counts of the task's devices.
    func counts(_ shipment: Shipment) async throws -> StateCounts {
        var counts = StateCounts()
        for (segment, _) in shipment.marks {
            if let states = try await ledger.states(of: shipment.task, in: segment) { counts.add(states.counts) }
        }
        return counts
    }

    /// The devices that have ended but are not yet noted as reported in the ledger, by their ids in results.
    func unreported(_ shipment: Shipment) async throws -> Set<String> {
        var unreported: Set<DeviceIndex> = []
        for (segment, _) in shipment.marks {
            unreported.formUnion(try await ledger.unreported(of: shipment.task, in: segment).map(\.index))
        }
        let places = shipment.addressees.indices.filter { unreported.contains(shipment.addressees[$0].index) }
        return Set(places.map(shipment.resultID))
    }

    /// Stops every program with SIGTERM, as an orchestrator does.
    func close() async {
        for program in programs.withLock({ $0 }) where program.ending == nil {
            #expect(await program.stop() == .exited(0), "\(program.lines.suffix(20))")
        }
        await bus.close()
        await redis.close()
        _ = await simulator.stop()
        await server.stop()
    }

    private var appFile: String {
        JSONText.object { app in
            app.member(
                "providers",
                json: JSONText.object { providers in
                    providers.member("apns", json: apns)
                    providers.member("fcm", json: fcm)
                    providers.member("huawei", json: huawei)
                    providers.member("webpush", json: webpush)
                    providers.member("wns", json: wns)
                    providers.member("mpns", json: "{}")
                    providers.member(
                        "http",
                        json: JSONText.object {
                            $0.member("signing_key_file", simulator.text("http", "signing_key_file"))
                        })
                })
        }
    }

    private var apns: String {
        JSONText.object { json in
            for name in ["key_file", "key_id", "team_id", "topic"] { json.member(name, simulator.text("apns", name)) }
        }
    }

    private var fcm: String {
        JSONText.object { $0.member("service_account_file", simulator.text("fcm", "service_account_file")) }
    }

    private var huawei: String {
        JSONText.object { json in
            for name in ["client_id", "client_secret_file"] { json.member(name, simulator.text("huawei", name)) }
        }
    }

    private var webpush: String {
        JSONText.object { json in
            json.member("key_file", apps.file("webpush.pem"))
            json.member("contact", "mailto:push@example.com")
        }
    }

    private var wns: String {
        JSONText.object { json in
            for name in ["client_id", "client_secret_file"] { json.member(name, simulator.text("wns", name)) }
        }
    }

    private var surroundings: [String: String] {
        mobileSurroundings.merging(webSurroundings) { $1 }
    }

    private var webSurroundings: [String: String] {
        let authority = simulator.text("ca_file")
        let wns = "https://localhost:\(simulator.port("wns"))"
        return [
            "CARILLON_WEB_ALLOW_ADDRESSES": "127.0.0.0/8,::1/128",
            "CARILLON_WEBPUSH_SERVICES": "localhost:\(simulator.port("webpush"))",
            "CARILLON_WEBPUSH_CA_FILE": authority, "CARILLON_WNS_DOMAINS": "localhost",
            "CARILLON_WNS_TOKEN_URL": wns + simulator.text("wns", "token_path"), "CARILLON_WNS_TENANT_URL": wns,
            "CARILLON_WNS_CA_FILE": authority, "CARILLON_MPNS_DOMAINS": "localhost", "CARILLON_MPNS_CA_FILE": authority,
            "CARILLON_HTTP_PUSH_CA_FILE": authority,
            // A loaded machine answers slowly, and without a scheduler a push that is held back stays so.
            "CARILLON_WEB_SERVER_WAIT": "10s",
        ]
    }

    private var mobileSurroundings: [String: String] {
        let authority = simulator.text("ca_file")
        let huawei = "https://localhost:\(simulator.port("huawei"))"
        return [
            "CARILLON_BUS": server.url, "CARILLON_BUS_LEASE": "5s", "CARILLON_BUS_HEARTBEAT": "500ms",
            "CARILLON_APPS": apps.path, "CARILLON_WORKER_BACKOFF_LONGEST": "1s",
            "CARILLON_APNS_HOST": "localhost", "CARILLON_APNS_SANDBOX_HOST": "localhost",
            "CARILLON_APNS_CHANNEL_HOST": "localhost", "CARILLON_APNS_SANDBOX_CHANNEL_HOST": "localhost",
            "CARILLON_APNS_CHANNEL_PORT": "\(simulator.port("apns"))",
            "CARILLON_APNS_SANDBOX_CHANNEL_PORT": "\(simulator.port("apns"))",
            "CARILLON_APNS_PORT": "\(simulator.port("apns"))", "CARILLON_APNS_CA_FILE": authority,
            "CARILLON_FCM_HOST": "localhost", "CARILLON_FCM_PORT": "\(simulator.port("fcm"))",
            "CARILLON_FCM_CA_FILE": authority, "CARILLON_HUAWEI_URL": huawei,
            "CARILLON_HUAWEI_TOKEN_URL": huawei + simulator.text("huawei", "token_path"),
            "CARILLON_HUAWEI_CA_FILE": authority,
        ]
    }
}

/// Runs the body in a new harness, whose programs must all exit with status 0.
func withHarness(
    apps: [String] = ["news"], simulator: [String: String] = [:], _ body: (SenderHarness) async throws -> Void
) async throws {
    let harness = try await SenderHarness(apps: apps, simulator: simulator)
    try await withCleanup({ await harness.close() }) { try await body(harness) }
}
