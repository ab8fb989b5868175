import Bus
import ProviderKit
import PushModel
import RedisBus
import RedisClient
import RedisStore
import ServiceKit
import Signing
import Store
import TestSupport
import Topics

/// A running `web-sender` with one app, `news`, and its bus and ledger.
final class WebSenderProcess: Sendable {
    let bus: RedisBus
    let key: VAPIDKey
    let browser = TestBrowser()
    private let process: ChildProcess
    private let client: RedisClient
    private let folder = TemporaryDirectory("apps")
    private let app: AppID
    private let segment = SegmentNumber(rawValue: 0)

    /// `services` are those with connections of their own. `hosts` replaces `/etc/hosts` for the process.
    init(
        _ redis: RedisServer, authority: TestAuthority, services: String, allowing addresses: String,
        hosts: String? = nil
    ) throws {
        app = try AppID("news")
        key = try VAPIDKey.generated()
        folder.write("webpush.pem", content: try key.privateKeyText().reveal())
        folder.write(
            "news.json",
            content: #"{"providers":{"webpush":{"key_file":"webpush.pem","contact":"mailto:push@example.com"}}}"#)
        let settings = [
            "CARILLON_BUS": redis.url, "CARILLON_APPS": folder.path, "CARILLON_ADMIN_PORT": "\(FreePort.next())",
            "CARILLON_WEBPUSH_SERVICES": services, "CARILLON_WEBPUSH_CA_FILE": authority.authorityFile,
            "CARILLON_WEB_ALLOW_ADDRESSES": addresses,
        ]
        process =
            try hosts.map { try WebSenderProcess.start(settings, hosts: $0) }
            ?? ChildProcess.service("web-sender", settings: settings)
        let configuration = try RedisConfiguration(url: redis.url)
        client = RedisClient(configuration, log: quietLog, metrics: Metrics())
        let time = SystemTimeSource()
        bus = RedisBus(
            redis: configuration, RedisBusConfiguration(), log: quietLog, metrics: Metrics(),
            health: Health(time: time), time: time, random: SystemRandomSource())
    }

    /// Its log so far, for the message of a failed test.
    var lines: [String] { process.lines }

    /// Writes the plan and the marks of a task with these devices to the ledger, and its chunk to the bus.
    func dispatch(_ addresses: [String], task number: UInt64 = 1) async throws {
        let task = TaskID(high: 22, low: number)
        let deadline = SystemTimeSource().now + .seconds(3_600)
        let ledger = RedisLedger(StoreConnection(client))
        let plan = TaskPlan(app: app, jobs: 1, isFast: false, deadline: deadline, policy: .atLeastOnce)
        _ = try await ledger.plan(task, as: plan)
        _ = try await ledger.mark(
            SegmentSet(addresses.indices.map { UInt16($0) }), of: task, in: SegmentID(app, number: segment))
        let chunk = DispatchChunk(
            task: task, app: app, lane: .bulk, attempt: 0,
            accepted: SystemTimeSource().now.milliseconds, deadline: deadline.milliseconds, countsBadge: false,
            repeatsUnknown: true, variants: [browser.pushes(["https://a.example"], body: "Ding")[0].content.variant],
            segments: [try devices(addresses)])
        let producer = try await bus.makeProducer(ProducerOptions())
        _ = try await producer.send([Topics.dispatchWeb.message(chunk, key: [1], lane: .bulk)])
        await producer.close()
    }

    /// Servers to which pushes of the app are held back, as the store has them.
    func failingServers() async throws -> [String: Duration] {
        try await RedisFailingServers(StoreConnection(client)).read(app)
    }

    /// Sends SIGTERM; returns how the process ended.
    func stop() async -> ChildProcess.Ending? {
        process.signal(15)
        let ending = await process.end()
        await bus.close()
        await client.close()
        return ending
    }

    private func devices(_ addresses: [String]) throws -> SegmentDevices {
        var devices = SegmentDevices(segment: segment)
        for (number, address) in addresses.enumerated() {
            var device = Device(
                tag: UInt32(number), token: try PushToken(.webpush, text: address), created: 1_700_000_000)
            device.webPushKeys = browser.keys
            devices.append(offset: UInt16(number), variant: 0, device: device)
        }
        return devices
    }

    /// In a mount namespace of its own, which the superuser may make.
    private static func start(_ settings: [String: String], hosts: String) throws -> ChildProcess {
        let inherited = EnvironmentReader.processEnvironment().filter { !$0.key.hasPrefix("CARILLON") }
        let script = #"mount --bind "$0" /etc/hosts && exec "$1""#
        return try ChildProcess(
            "unshare", arguments: ["--mount", "sh", "-c", script, hosts, builtExecutable("web-sender")],
            environment: inherited.merging(settings) { $1 })
    }

    /// True where `hosts` can be used.
    static func canReplaceHosts() async -> Bool {
        let script = "mount --bind /etc/hosts /etc/hosts"
        let process = try? ChildProcess("unshare", arguments: ["--mount", "sh", "-c", script])
        return await process?.end() == .exited(0)
    }
}
