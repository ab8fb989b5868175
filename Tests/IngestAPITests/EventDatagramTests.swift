import Bus
import Datagrams
import JSONKit
import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskModel
import TestSupport
import Testing

@testable import Apps
@testable import ingest_api

/// Events over UDP: who may send what, and that each datagram has exactly one outcome.
@Suite(.timeLimit(.minutes(2))) struct EventDatagramTests {
    /// The service with two apps: `news` allows 127.0.0.0/29 to publish and to broadcast and 127.0.0.64/26 to publish,
    /// `shop` allows 127.0.0.4/30 to publish and 127.0.0.32/27 to register.
    private final class Fixture: Sendable {
        let bus = TestProducer()
        let metrics = Metrics()
        let registry: MemoryRegistry
        let service: EventDatagrams

        init(allows: Set<DatagramSettings.Allowance> = []) throws {
            let time = ManualTimeSource()
            registry = MemoryRegistry(time: time, random: SeededRandomSource(seed: 1))
            let environment = WorkerEnvironment(
                time: SystemTimeSource(), random: SeededRandomSource(seed: 2),
                log: Log(service: "test", sink: CollectingSink()), metrics: metrics, health: Health(time: time))
            let tasks = TaskAccess(
                archive: MemoryTaskArchive(), ledger: MemoryLedger(time: time), agenda: MemoryTaskAgenda(time: time),
                traces: MemoryTaskTraces(time: time), receipts: MemoryTaskReceipts(time: time),
                statistics: MemoryTaskStatistics(time: time), deviceTasks: MemoryDeviceTasks(time: time),
                replacements: MemoryTaskReplacements(time: time), keys: MemoryIdempotencyStore(time: time),
                producer: bus, room: StoreRoom(percentUsed: { 0 }, percentMaximum: 70))
            let parts = IngestParts(
                registry, reader: registry, audiences: registry, topics: registry, access: tasks,
                limits: RequestLimits(),
                idempotencyLease: .seconds(15), environment: environment)
            let apps = try Fixture.apps()
            var settings = try #require(DatagramSettings("0"))
            settings.allows = allows
            service = try parts.datagrams(settings) { apps.access(presented: nil, peer: $0, now: time.now) }
        }

        private static func apps() throws -> AppSnapshot {
            func range(_ text: String, _ scopes: Set<Scope>) throws -> AllowedRange {
                AllowedRange(range: try AddressRange(text), scopes: scopes)
            }
            var news = PushApp(id: try AppID("news"))
            news.allowed = [
                try range("127.0.0.0/29", [.publish, .broadcast]), try range("127.0.0.64/26", [.publish]),
            ]
            var shop = PushApp(id: try AppID("shop"))
            shop.allowed = [try range("127.0.0.4/30", [.publish]), try range("127.0.0.32/27", [.register])]
            return AppSnapshot([news, shop], pepper: nil)
        }

        func count(_ outcome: String) -> Int {
            Int(metrics.counter(.ingestDatagramsHandled, labels: ["outcome": outcome]).value)
        }

        func count(_ outcomes: [String], reach number: Int) async throws {
            try await waitUntil { outcomes.reduce(0) { $0 + count($1) } >= number }
        }

        /// Runs the service while the body runs, and drains it.
        func run(_ body: () async throws -> Void) async throws {
            let running = Task { try await service.run() }
            try await withCleanup({
                self.service.stop()
                _ = await running.result
            }) { try await body() }
        }

        func client(_ source: String = "127.0.0.1") -> DatagramClient {
            DatagramClient(port: service.port, source: source)
        }
    }

    @Test func anEventBecomesATask() async throws {
        let fixture = try Fixture()
        try await fixture.run {
            let client = fixture.client()
            client.send("POST /event/user.newVideo:fkwhpd?msg=%24%7Bvar.name%7D+sent&var.name=John+Doe&data.k=v")
            try await fixture.count(["accepted"], reach: 1)
            #expect(!client.hasAnswer)
        }
        let task = try #require(fixture.bus.tasks.first)
        #expect(task.app.text == "news")
        #expect(task.dialect == .pushd)
        #expect(try task.target.audience == .topic(TopicName("user.newVideo:fkwhpd")))
        #expect(task.content.message?.body?.standard == "John Doe sent")
        #expect(task.content.message?.data["k"] == .string("v"))
        #expect(task.credential.isEmpty)
    }

    @Test(arguments: [
        ("127.0.0.4", "POST /event/a?msg=x", "ambiguous"), ("127.0.0.9", "POST /event/a?msg=x", "source"),
        ("127.0.0.33", "POST /event/a?msg=x", "source"), ("127.0.0.1", "POST /event/a@b?msg=x", "malformed"),
        ("127.0.0.1", "GET /event/a", "malformed"), ("127.0.0.1", "POST /event/?msg=x", "malformed"),
        ("127.0.0.1", "POST /event/a%20b?msg=x", "malformed"), ("127.0.0.1", "", "malformed"),
        ("127.0.0.1", "POST /event/a?msg=%zz", "malformed"), ("127.0.0.1", "POST /event/a?msg=${var.none}", "dropped"),
        ("127.0.0.1", "POST /event/a", "dropped"), ("127.0.0.1", "POST /event/a?tittle=x", "dropped"),
        ("127.0.0.1", "POST /event/broadcast?msg=x", "not_allowed"), ("127.0.0.1", "DELETE /event/a", "not_allowed"),
        ("127.0.0.65", "POST /event/a?msg=x", "accepted"), ("127.0.0.1", "POST /event/unicast:x?msg=x", "dropped"),
    ])
    func everyDatagramHasOneOutcome(source: String, text: String, outcome: String) async throws {
        let fixture = try Fixture()
        try await fixture.run {
            fixture.client(source).send(text)
            try await fixture.count([outcome], reach: 1)
        }
        let others = (EventMeters.Outcome.allCases.map(\.rawValue) + EventGate.Refusal.allCases.map(\.rawValue))
            .filter { $0 != outcome }
        #expect(others.map { fixture.count($0) }.allSatisfy { $0 == 0 })
        #expect(fixture.bus.tasks.count == (outcome == "accepted" ? 1 : 0))
    }

    @Test func deleteAndBroadcastWhereTheyAreAllowed() async throws {
        let fixture = try Fixture(allows: [.delete, .broadcast])
        let app = try AppID("news")
        let device = try await fixture.registry.register(
            PushToken(.apns, text: SampleTokens.apns.lowercased()), changes: DeviceChanges(), in: app)
        let id = device.registered.id
        _ = try await fixture.registry.subscribe(id, to: TopicName("sport"), options: [], in: app)
        try await fixture.run {
            fixture.client().send("POST /event/broadcast?msg=x")
            fixture.client("127.0.0.65").send("POST /event/broadcast?msg=x")
            fixture.client().send("DELETE /event/sport")
            try await fixture.count(["accepted", "not_allowed", "purged"], reach: 3)
        }
        #expect(fixture.bus.tasks.map(\.target.audience) == [.everyone])
        #expect(fixture.count("not_allowed") == 1)
        let subscriptions = try fixture.registry.subscriptions(of: id, in: app)
        #expect(subscriptions?.isEmpty == true)
    }

    /// Goal: garbage costs its parsing and no memory, and hides no good datagram. Method: random bytes, half of them
    /// with the first byte of a compressed content.
    @Test func garbageIsCountedAndForgotten() async throws {
        let fixture = try Fixture()
        var random = Dice(seed: 11)
        try await fixture.run {
            let client = fixture.client()
            var sent = 0
            while sent < 100_000 {
                for _ in 0..<100 {
                    var bytes = (0..<Int(random.next() % 64)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                    if sent % 2 == 0 { bytes.insert(sent % 4 == 0 ? 120 : 31, at: 0) }
                    client.send(bytes)
                    sent += 1
                }
                // The socket's buffer is small: a sender that does not wait would test the kernel.
                try await fixture.count(["malformed", "kernel"], reach: sent)
            }
            client.send("POST /event/a?msg=x")
            try await fixture.count(["accepted"], reach: 1)
        }
        #expect(fixture.count("malformed") == 100_000)
        #expect(fixture.bus.tasks.count == 1)
    }

    /// Goal: while the bus fails, accepted events wait; the drain makes them durable.
    @Test func eventsOutliveAFailureOfTheBus() async throws {
        let fixture = try Fixture()
        fixture.bus.fail(with: BusError(.unavailable, message: "test"))
        try await fixture.run {
            let client = fixture.client()
            for number in 0..<100 { client.send("POST /event/a?msg=\(number)") }
            // Reached once the first batch was refused.
            try await waitUntil { fixture.bus.refusals > 0 }
            #expect(fixture.count("accepted") == 0)
            fixture.bus.fail(with: nil)
        }
        #expect(fixture.count("accepted") == 100)
        let texts = Set(fixture.bus.tasks.compactMap { $0.content.message?.body?.standard })
        #expect(texts == Set((0..<100).map { "\($0)" }))
    }

    @Test func aFullQueueRefusesTheNewest() throws {
        let queue = EventQueue()
        let datagram = try #require(EventDatagram(Array("POST /event/a?msg=x".utf8)))
        let app = PushApp(id: try AppID("news"))
        let access = Access(caller: .address, grants: [Access.Grant(app: app, scopes: [.publish])])
        let caller = try AuthorizedCaller(access, for: [.publish]) { access.choose(nil, scope: $0) }
        let event = QueuedEvent(datagram: datagram, caller: caller)
        for _ in 0..<EventQueue.eventsMaximum { #expect(queue.add(event)) }
        #expect(!queue.add(event))
        #expect(queue.count == EventQueue.eventsMaximum)
    }

    @Test(arguments: [
        ("8125", "127.0.0.1", 8_125), ("0.0.0.0:80", "0.0.0.0", 80), ("[::1]:81", "::1", 81), ("[::]:0", "::", 0),
    ])
    func theSettingNamesAPort(text: String, address: String, port: UInt16) throws {
        let settings = try #require(DatagramSettings(text))
        #expect(settings.address == address)
        #expect(settings.port == port)
    }

    @Test(arguments: ["", "x", "70000", "::1:80", "host:80", "127.0.0.1:", "127.0.0.1", "[127.0.0.1]:80", "[::1]"])
    func otherSettingsAreRefused(text: String) {
        #expect(DatagramSettings(text) == nil)
    }
}
