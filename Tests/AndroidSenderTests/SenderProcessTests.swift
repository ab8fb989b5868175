import Bus
import HTTP2
import ProviderKit
import PushModel
import RedisBus
import RedisClient
import RedisStore
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

@testable import AndroidSender

/// The real program: reads a chunk with devices of both kinds from the bus, and sends their results to it.
@Suite struct SenderProcessTests {
    private let task = TaskID(high: 21, low: 42)
    private let segment = SegmentNumber(rawValue: 0)

    @Test func aChunkGoesToGoogleAndToHuawei() async throws {
        let dead = #"{"code":"80100000","msg":"{\"illegal_tokens\":[\"huawei-token-0001\"]}"}"#
        let provider = try await FakeProvider(onPush: { request in
            request.path.hasPrefix("/v1/100123/") ? .json(200, body: dead) : .json(200, body: "{}")
        })
        let redis = try await RedisServer(.forStores)
        let folder = TemporaryDirectory("apps")
        let process = try await start(provider, redis: redis, folder: folder)
        let configuration = try RedisConfiguration(url: redis.url)
        let client = RedisClient(configuration, log: quietLog, metrics: Metrics())
        let time = SystemTimeSource()
        let bus = RedisBus(
            redis: configuration, RedisBusConfiguration(), log: quietLog, metrics: Metrics(),
            health: Health(time: time), time: time, random: SystemRandomSource())
        let app = try AppID("news")
        try await dispatch(chunk(app), bus: bus, ledger: RedisLedger(StoreConnection(client)), app: app)

        var results = try await ResultReader(bus)
        #expect(try await results.read(300), "\(results.endings.count) have ended; \(process.lines)")
        #expect(results.count("delivered", provider: "fcm") == 150)
        #expect(results.count("delivered", provider: "huawei") == 149)
        #expect(
            results.count("invalid", provider: "huawei") + results.count("invalid_removed", provider: "huawei") == 1)
        let huawei = provider.seen.pushes.filter { $0.path == "/v1/100123/messages:send" }
        #expect(huawei.count == 1, "expected one claim and one request for 150 devices")
        #expect(provider.seen.pushes.count == 151)
        process.signal(15)
        #expect(await process.end() == .exited(0), "\(process.lines)")
        await results.close()
        await bus.close()
        await client.close()
        await provider.server.close()
        await redis.stop()
    }

    private func start(
        _ provider: FakeProvider, redis: RedisServer, folder: TemporaryDirectory
    ) async throws -> ChildProcess {
        let account = try GoogleFixture.account(tokenURL: "\(provider.url)/token")
        folder.write("fcm.json", content: String(decoding: account, as: UTF8.self))
        folder.write("huawei", content: "secret\n")
        folder.write(
            "news.json",
            content: #"""
                {"providers":{"fcm":{"service_account_file":"fcm.json"},
                "huawei":{"client_id":"100123","client_secret_file":"huawei"}}}
                """#)
        let settings = [
            "CARILLON_BUS": redis.url, "CARILLON_APPS": folder.path, "CARILLON_ADMIN_PORT": "\(FreePort.next())",
            "CARILLON_FCM_HOST": "localhost", "CARILLON_FCM_PORT": "\(provider.server.port)",
            "CARILLON_FCM_CA_FILE": provider.authority.authorityFile, "CARILLON_HUAWEI_URL": provider.url,
            "CARILLON_HUAWEI_TOKEN_URL": "\(provider.url)/token",
            "CARILLON_HUAWEI_CA_FILE": provider.authority.authorityFile,
        ]
        return try ChildProcess.service("android-sender", settings: settings)
    }

    private func chunk(_ app: AppID) throws -> DispatchChunk {
        let variants = [
            pushes(["x"])[0].content.variant,
            pushes(["x"], kind: .huawei, template: .huaweiMessage())[0].content.variant,
        ]
        var devices = SegmentDevices(segment: segment)
        for number in 0..<300 {
            let isHuawei = number % 2 == 1
            let digits = String(repeating: "0", count: 4 - "\(number)".count) + "\(number)"
            let token =
                isHuawei
                ? try PushToken(.huawei, text: "huawei-token-\(digits)")
                : try PushToken(.fcm, text: String(repeating: "f", count: 60) + digits)
            devices.append(
                offset: UInt16(number), variant: isHuawei ? 1 : 0,
                device: Device(tag: UInt32(number), token: token, created: 1_700_000_000))
        }
        return DispatchChunk(
            task: task, app: app, lane: .bulk, attempt: 0,
            accepted: SystemTimeSource().now.milliseconds, deadline: deadline.milliseconds, countsBadge: false,
            repeatsUnknown: true, variants: variants, segments: [devices])
    }

    private var deadline: Timestamp { SystemTimeSource().now + .seconds(3_600) }

    private func dispatch(
        _ chunk: DispatchChunk, bus: RedisBus, ledger: RedisLedger, app: AppID
    ) async throws {
        let plan = TaskPlan(app: app, jobs: 1, isFast: false, deadline: deadline, policy: .atLeastOnce)
        _ = try await ledger.plan(task, as: plan)
        _ = try await ledger.mark(
            SegmentSet((0..<300).map { UInt16($0) }), of: task, in: SegmentID(app, number: segment))
        let producer = try await bus.makeProducer(ProducerOptions())
        _ = try await producer.send([Topics.dispatchAndroid.message(chunk, key: [1], lane: .bulk)])
        await producer.close()
    }
}
