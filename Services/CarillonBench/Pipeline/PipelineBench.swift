import CommandKit
import JSONKit
import PushModel
import RedisClient
import RedisStore
import ServiceKit
import Store

/// One broadcast through the whole pipeline, and single pushes with and without a concurrent broadcast.
struct PipelineBench {
    static let registrationsAtOnce = 64
    private static let pause = Duration.milliseconds(20)
    private static let singlePushes = 200

    let devices: Int
    let harness: LocalHarness
    let http: LocalHTTP
    let say: @Sendable (String) -> Void

    /// Single pushes during a broadcast, and during what `whenFilled` starts once the devices are registered.
    func latenciesBesideBroadcast(whenFilled: () -> Void) async throws -> [Double] {
        say("registering \(devices) devices")
        let (_, huawei) = try await fill()
        whenFilled()
        say("single pushes during a push to every device")
        return try await latenciesWhileBusy(huawei)
    }

    func run() async throws -> [BenchFigure] {
        say("registering \(devices) devices")
        let (apple, huawei) = try await fill()
        say("\(PipelineBench.singlePushes) pushes to one device, one after another")
        let idle = try await latencies(PipelineBench.singlePushes, to: apple, of: "apns")
        say("a push to every device")
        let broadcast = try await broadcast()
        say("as many requests of h2load")
        var figures = figures(broadcast, limitSeconds: try await limitSeconds())
        say("single pushes during another push to every device")
        let busy = try await latenciesWhileBusy(huawei)
        figures += [
            BenchFigure(name: "pipeline.push_idle.p50", value: idle.percentile(50), unit: "ms"),
            BenchFigure(name: "pipeline.push_idle.p99", value: idle.percentile(99), unit: "ms"),
            BenchFigure(name: "pipeline.push_busy.p99", value: busy.percentile(99), unit: "ms"),
            BenchFigure(name: "pipeline.push_busy.count", value: Double(busy.count), unit: "pushes"),
        ]
        return figures
    }

    /// Returns two devices that are in no broadcast.
    func fill() async throws -> (apple: DeviceID, huawei: DeviceID) {
        try await writeRegistry { registry, app in
            _ = try await Concurrently.run(devices, atOnce: PipelineBench.registrationsAtOnce) { number in
                let device = SyntheticDevice(number)
                let registration = try await registry.register(device.token(), changes: device.changes, in: app)
                _ = try await registry.subscribe(
                    registration.registered.id, to: try TopicName(SyntheticDevice.everyone), options: [], in: app)
            }
            let apple = try await registry.register(
                PushToken(.apns, text: String(repeating: "5", count: 64)), changes: DeviceChanges(), in: app)
            return (apple.registered.id, try await PipelineBench.registerHuawei(in: registry, app: app))
        }
    }

    /// Registers the same devices over the API, which builds share that keep different things in Redis.
    func fillOverHTTP() async throws {
        let load = RegistrationLoad(
            port: try harness.port(), key: harness.key.reveal(), threads: PipelineBench.registrationsAtOnce,
            devices: 0..<devices)
        _ = try await writeStore { _, _ in try await load.run() }
    }

    /// Registers the device of single pushes: no other device is Huawei's.
    static func registerHuawei(in registry: RedisRegistry, app: AppID) async throws -> DeviceID {
        try await registry.register(
            PushToken(.huawei, text: String(repeating: "h", count: 64)), changes: DeviceChanges(), in: app
        ).registered.id
    }

    /// Lets the body write to the registry, without syncing the append-only file: the registry has its own benchmark.
    func writeRegistry<Result>(_ body: (RedisRegistry, AppID) async throws -> Result) async throws -> Result {
        try await writeStore { connection, app in
            try await body(try await RedisRegistry.open(connection, mode: .authoritative, log: .bench), app)
        }
    }

    /// The same for every store.
    func writeStore<Result>(_ body: (StoreConnection, AppID) async throws -> Result) async throws -> Result {
        try await withStore { client in
            _ = try await client.send(RedisCommand("CONFIG", "SET", "appendfsync", "no"))
            let result = try await body(StoreConnection(client), try AppID("demo"))
            _ = try await client.send(RedisCommand("CONFIG", "SET", "appendfsync", "always"))
            return result
        }
    }

    /// Waits until all tasks that were released are closed.
    func waitUntilIdle() async throws {
        try await withStore { client in
            let agenda = RedisTaskAgenda(StoreConnection(client))
            while try await agenda.count() > 0 { try await Task.sleep(for: PipelineBench.pause) }
        }
    }

    func withStore<Result>(_ body: (RedisClient) async throws -> Result) async throws -> Result {
        let client = RedisClient(try RedisConfiguration(url: harness.redis), log: .bench, metrics: Metrics())
        do {
            let result = try await body(client)
            await client.close()
            return result
        } catch {
            await client.close()
            throw error
        }
    }

    private struct Broadcast {
        let task: String
        let posted: Duration
        let acceptedBefore: Int
    }

    private func post() async throws -> Broadcast {
        let before = try await accepted()
        let body = """
            {"audience":{"topic":"\(SyntheticDevice.everyone)"},"message":{"title":"Hello","body":"World"}}
            """
        let posted = SystemTimeSource().uptime
        return Broadcast(task: try await postTask(body), posted: posted, acceptedBefore: before)
    }

    /// What a push to every device took.
    struct BroadcastReading {
        let delivered: Duration
        let closed: Duration
        let usage: [ProgramUsage]
    }

    func broadcast() async throws -> BroadcastReading {
        let before = try harness.usage()
        let broadcast = try await post()
        while try await accepted() < broadcast.acceptedBefore + devices {
            try await SystemTimeSource().sleep(for: PipelineBench.pause)
        }
        let delivered = SystemTimeSource().uptime - broadcast.posted
        try await isClosed(broadcast.task)
        let closed = SystemTimeSource().uptime - broadcast.posted
        return BroadcastReading(delivered: delivered, closed: closed, usage: try harness.usage(since: before))
    }

    private func figures(_ broadcast: BroadcastReading, limitSeconds: Double) -> [BenchFigure] {
        let name = devices == 1_000_000 ? "pipeline.broadcast_1m" : "pipeline.broadcast"
        return [
            BenchFigure(name: "\(name).seconds", value: broadcast.delivered.inSeconds, unit: "s"),
            BenchFigure(name: "\(name).closed_seconds", value: broadcast.closed.inSeconds, unit: "s"),
            BenchFigure(name: "\(name).cpu_seconds", value: broadcast.usage.cpuSeconds, unit: "CPU-seconds"),
            BenchFigure(name: "\(name).limit_cpu_seconds", value: limitSeconds, unit: "CPU-seconds"),
            BenchFigure(
                name: "\(name).limit_ratio", value: broadcast.usage.cpuSeconds / limitSeconds, unit: "of h2load's CPU"),
        ]
            + broadcast.usage.map {
                BenchFigure(name: "\(name).cpu_seconds.\($0.name)", value: $0.cpuSeconds, unit: "CPU-seconds")
            }
            + broadcast.usage.map { $0.memoryFigure("\(name).memory_peak") }
    }

    /// Milliseconds of single pushes, one after another, until a push to every device is sent.
    func latenciesWhileBusy(_ device: DeviceID) async throws -> [Double] {
        let broadcast = try await post()
        var latencies: [Double] = []
        while try await accepted() < broadcast.acceptedBefore + devices {
            latencies += try await self.latencies(1, to: device, of: "huawei")
        }
        try await isClosed(broadcast.task)
        return latencies
    }

    /// Milliseconds from the request to its receipt by the provider, which the simulator records with the same clock.
    func latencies(_ count: Int, to device: DeviceID, of provider: String) async throws -> [Double] {
        var latencies: [Double] = []
        for _ in 0..<count {
            let posted = SystemTimeSource().now
            let task = try await postTask(#"{"devices":["\#(device)"],"message":{"body":"Hello"}}"#)
            let received = try await receipt(of: task, provider)
            latencies.append(Double(received.milliseconds - posted.milliseconds))
        }
        return latencies
    }

    func receipt(of task: String, _ provider: String) async throws -> Timestamp {
        while true {
            let pushes = try await http.get("\(harness.simulator)/pushes/\(provider)?limit=20")
            for push in pushes.elements ?? [] where push.compactText.contains(task) {
                if let received = push["received"]?.text.flatMap({ Timestamp(rfc3339: $0) }) { return received }
            }
        }
    }

    func postTask(_ body: String) async throws -> String {
        let answer = try await http.post(
            "\(harness.url)/v1/tasks", body: body, type: "application/json", key: harness.key)
        guard let id = answer["id"]?.text else { throw BenchError("the API response contains no task id") }
        return id
    }

    func accepted() async throws -> Int {
        try await SimulatorClient(admin: harness.simulator, http: http).accepted().values.reduce(0, +)
    }

    func isClosed(_ task: String) async throws {
        while try await http.get("\(harness.url)/v1/tasks/\(task)", key: harness.key)["state"]?.text != "closed" {
            try await SystemTimeSource().sleep(for: PipelineBench.pause)
        }
    }
}
