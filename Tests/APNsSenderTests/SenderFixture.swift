import Apps
import Bus
import HTTP2
import MemoryStore
import ProviderKit
import PushModel
import ServiceKit
import Store
import TestSupport
import Topics

@testable import APNsSender

/// The whole sender with a ledger in memory and a scripted Apple. The fixture also replaces the scheduler: retries are
/// sent again immediately, whenever they are due.
final class SenderFixture: Sendable {
    let authority: TestAuthority
    let keyFile: String
    let time = SystemTimeSource()
    let metrics = Metrics()
    let ledger: MemoryLedger
    let channels: MemoryRegistry
    let provider: APNsProvider
    let producer = RecordingProducer()
    let halts: AppHalts
    let gateways: AppGateways
    let handler: DispatchHandler
    let app: AppID
    private let context: HandlerContext

    static let topics = ["news": "com.example.news", "shop": "com.example.shop"]

    /// Each app has its own team.
    init(
        _ authority: TestAuthority, apple: ScriptedApple, sandbox: ScriptedApple? = nil,
        channels: MemoryRegistry? = nil, adjust: (inout APNsConfiguration) -> Void = { _ in }
    ) async throws {
        self.authority = authority
        let keyFile = try await OpenSSLCommand.makeKey("key.p8", options: OpenSSLCommand.p256, in: authority.directory)
        self.keyFile = keyFile
        app = try AppID("news")
        ledger = MemoryLedger(time: time)
        let environment = WorkerEnvironment(
            time: time, random: SystemRandomSource(), log: quietLog, metrics: metrics, health: Health(time: time))
        var configuration = APNsConfiguration()
        configuration.production = apple.endpoint
        configuration.sandbox = (sandbox ?? apple).endpoint
        configuration.productionChannels = apple.endpoint
        configuration.sandboxChannels = (sandbox ?? apple).endpoint
        configuration.authorityFile = authority.authorityFile
        configuration.reconnectBackoff = Backoff(first: .milliseconds(5), longest: .milliseconds(50))
        adjust(&configuration)
        let channels = channels ?? MemoryRegistry(time: time, random: SystemRandomSource())
        self.channels = channels
        provider = APNsProvider(configuration, channels: channels, environment: environment)
        gateways = AppGateways([provider], time: time) { id in
            SenderFixture.topics[id.text].map { topic in
                var app = PushApp(id: id)
                app.providers.apns = SenderFixture.credentials(topic: topic, keyFile: keyFile)
                return app
            }
        }
        halts = AppHalts(patience: .seconds(3_600), time: time, log: quietLog, metrics: metrics)
        handler = DispatchHandler(
            ledger: ledger, gateways: gateways, halts: halts,
            outages: OutageWatch(
                MemoryProviderOutages(time: time), probeLease: .seconds(60), time: time, random: SystemRandomSource(),
                log: quietLog, metrics: metrics), breakers: DeletionBreakers(time: time),
            witness: ScriptedWitness(), pacer: PushPacer(MemoryPushPacing(time: time), time: time),
            random: SystemRandomSource(), metrics: metrics)
        context = HandlerContext(
            time: time, random: SystemRandomSource(), producer: producer, log: quietLog, attempt: 1)
    }

    private static func credentials(topic: String, keyFile: String) -> APNsCredentials {
        APNsCredentials(
            proof: .token(
                keyFile: KeyFile(field: "key_file", path: keyFile), keyID: "ABCDE12345",
                teamID: "TEAM" + String(topic.suffix(4)).uppercased() + "00"),
            topic: topic)
    }

    /// Of the app `news`.
    var credentials: APNsCredentials {
        SenderFixture.credentials(topic: SenderFixture.topics["news"] ?? "", keyFile: keyFile)
    }

    func end() async {
        gateways.stop()
        await gateways.run()
    }

    /// Plans a task and marks its devices.
    func plan(_ load: PushLoad) async throws {
        let deadline = Timestamp(milliseconds: load.deadline)
        _ = try ledger.plan(
            load.task, as: TaskPlan(app: load.app, jobs: 1, isFast: false, deadline: deadline, policy: .atLeastOnce))
        for (segment, offsets) in load.segments {
            _ = ledger.mark(SegmentSet(offsets), of: load.task, in: SegmentID(load.app, number: segment))
        }
    }

    /// Sends the chunks concurrently, as workers do, then the retries, until there are none.
    func deliver(_ load: PushLoad) async throws {
        try await plan(load)
        var chunks = load.chunks()
        while !chunks.isEmpty {
            try await run(chunks)
            chunks = try producer.takeRetries(of: load.task).flatMap { load.chunks($0) }
        }
    }

    func run(_ chunks: [DispatchChunk], atOnce: Int = 8) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var started = 0
            for chunk in chunks {
                if started >= atOnce { try await group.next() }
                group.addTask { try await self.run(chunk) }
                started += 1
            }
            try await group.waitForAll()
        }
    }

    func run(_ chunk: DispatchChunk) async throws {
        let origin = IncomingMessage(
            partition: PartitionID(channel: Topics.dispatchAPNs.channel(chunk.lane).name, number: 0), offset: 0,
            key: nil, value: chunk.encoded(), headers: [], timestamp: time.now)
        let results = try await handler.handle([ReceivedMessage(message: chunk, origin: origin)], context: context)
        _ = try await producer.send(results)
    }

    func counts(_ load: PushLoad) -> StateCounts {
        var counts = StateCounts()
        for (segment, _) in load.segments {
            if let states = ledger.states(of: load.task, in: SegmentID(load.app, number: segment)) {
                counts.add(states.counts)
            }
        }
        return counts
    }
}

extension AppGateways {
    func apns(_ app: AppID) async -> APNsGateway? {
        guard case .found(let gateway) = await gateway(for: app, .apns) else { return nil }
        return gateway as? APNsGateway
    }
}

/// Records the messages that a handler sends.
final class RecordingProducer: BusProducer {
    private let state = Monitor<[OutgoingMessage]>([])

    func takeRetries(of task: TaskID) throws -> [RetryOrder] {
        let sent = state.change { sent in
            defer { sent = [] }
            return sent
        }
        return try sent.filter { $0.channel.name.hasPrefix("retries") }.map { try RetryOrder(decoding: $0.value) }
            .filter { $0.task == task }
    }

    func send(_ messages: [OutgoingMessage]) async throws(BusError) -> [MessagePosition] {
        state.change { $0 += messages }
        return messages.map { _ in MessagePosition(partition: 0, offset: nil) }
    }

    func close() async {}
}
