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
import Topics

@testable import Apps
@testable import IngestAPI

/// Events over UDP: who may send what, and that each datagram has exactly one outcome.
@Suite(.timeLimit(.minutes(2))) struct EventDatagramTests {
    /// The service with two apps: `news` allows 127.0.0.0/29 to publish and to broadcast and 127.0.0.64/26 to publish,
    /// `shop` allows 127.0.0.4/30 to publish and 127.0.0.32/27 to register.
    private final class Fixture: Sendable {
        let bus = TestProducer()
        let archive = FaultyArchive()
        let apps: Monitor<AppSnapshot>
        let metrics = Metrics()
        let registry: MemoryRegistry
        let service: EventDatagrams

        init(allows: Set<DatagramSettings.Allowance> = []) throws {
            let time = ManualTimeSource()
            registry = MemoryRegistry(time: time, random: SeededRandomSource(seed: 1))
            let environment = WorkerEnvironment(
                time: SystemTimeSource(), random: SeededRandomSource(seed: 2),
                log: Log(service: "test", sink: CollectingSink()), metrics: metrics, health: Health(time: time))
            let tasks = TaskAccess.inMemory(archive, producer: bus, time: time)
            let parts = IngestFixture.parts(registry, memory: registry, tasks: tasks, environment: environment)
            apps = Monitor(try Fixture.apps())
            var settings = try #require(DatagramSettings("0"))
            settings.allows = allows
            service = try parts.datagrams(settings, access: tasks) { [apps] in apps.withLock { $0 } }
        }

        static func apps() throws -> AppSnapshot {
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

        /// Datagrams that are queued, or were in a batch.
        var received: Int { service.waiting + archive.tasksSeen }

        /// Runs the service while the body runs, and ends it as if the drain's time were over.
        func runUntilCutOff(_ body: () async throws -> Void) async throws {
            let running = Task { try await service.run() }
            try await withCleanup({
                self.service.stop()
                running.cancel()
                _ = await running.result
            }) { try await body() }
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

    /// Goal: what waits is written in few batches. Method: while the store fails, events queue; the batches that are kept
    /// afterwards are counted.
    @Test func waitingEventsAreWrittenTogether() async throws {
        let fixture = try Fixture()
        let total = 2_000
        fixture.archive.fail(with: StoreError(.unavailable, message: "test"))
        try await fixture.run {
            let client = fixture.client()
            for number in 0..<total {
                client.send("POST /event/a?msg=\(number)")
                // The socket's buffer may be small; a datagram is queued unless it is in a batch that waits.
                if number % 100 == 99 { try await waitUntil { fixture.received == number + 1 } }
            }
            #expect(fixture.archive.batchesKept.isEmpty)
            fixture.archive.fail(with: nil)
            try await fixture.count(["accepted"], reach: total)
        }
        #expect(fixture.archive.batchesKept.reduce(0, +) == total)
        let fullBatches = total / DatagramAccess.batchMaximum
        #expect(fixture.archive.batchesKept.count <= DatagramAccess.batchesAtOnce + fullBatches + 1)
        #expect(Set(fixture.bus.tasks.map(\.id)).count == total)
    }

    /// Goal: a batch in which the store fails in the middle is accepted once, and as a whole. Method: the store takes
    /// some contents, fails, and recovers.
    @Test(arguments: [1, 7, 99])
    func aBatchThatIsHalfKeptIsRepeated(kept: Int) async throws {
        let fixture = try Fixture()
        fixture.bus.fail(with: BusError(.unavailable, message: "test"))
        fixture.archive.fail(with: StoreError(.unavailable, message: "test"), after: kept)
        try await fixture.run {
            let client = fixture.client()
            for number in 0..<100 { client.send("POST /event/a?msg=\(number)") }
            try await waitUntil { fixture.received == 100 }
            #expect(fixture.bus.tasks.isEmpty && fixture.count("accepted") == 0)
            fixture.archive.fail(with: nil)
            fixture.bus.fail(with: nil)
        }
        #expect(fixture.count("accepted") == 100)
        let tasks = fixture.bus.tasks
        #expect(Set(tasks.map(\.id)).count == tasks.count)
        #expect(Set(tasks.compactMap { $0.content.message?.body?.standard }) == Set((0..<100).map { "\($0)" }))
        for task in tasks {
            #expect(try await fixture.archive.content(of: task.id) == TaskMessage.task(task).encoded())
        }
    }

    /// Goal: what is not durable when the drain's time is over is counted as lost, and not listed. Method: the bus
    /// fails until then.
    @Test func lostEventsAreNotListed() async throws {
        let fixture = try Fixture()
        fixture.bus.fail(with: BusError(.unavailable, message: "test"))
        try await fixture.runUntilCutOff {
            let client = fixture.client()
            for number in 0..<100 { client.send("POST /event/a?msg=\(number)") }
            try await waitUntil { fixture.received == 100 && fixture.bus.refusals > 0 }
        }
        #expect(fixture.count("lost") == 100)
        #expect(fixture.count("accepted") == 0)
        let listed = try await fixture.archive.tasks(of: AppID("news"), before: nil, limit: 100)
        #expect(!listed.isEmpty)
        for entry in listed { #expect(try await fixture.archive.content(of: entry.task) == nil) }
    }

    /// A sender is looked up once for each version of the apps.
    @Test func aChangedAppTakesEffect() async throws {
        let fixture = try Fixture()
        try await fixture.run {
            fixture.client("127.0.0.65").send("POST /event/a?msg=x")
            fixture.client("127.0.0.9").send("POST /event/a?msg=x")
            try await fixture.count(["accepted", "source"], reach: 2)
            var news = PushApp(id: try AppID("news"))
            news.allowed = [AllowedRange(range: try AddressRange("127.0.0.8/29"), scopes: [.publish])]
            fixture.apps.change { $0 = AppSnapshot([news], pepper: nil) }
            fixture.client("127.0.0.65").send("POST /event/a?msg=x")
            fixture.client("127.0.0.9").send("POST /event/a?msg=x")
            try await fixture.count(["accepted", "source"], reach: 4)
        }
        #expect(fixture.count("accepted") == 2)
        #expect(fixture.count("source") == 2)
    }

    /// A sender can forge any number of addresses.
    @Test func lookedUpSendersAreBounded() throws {
        let apps = try Fixture.apps()
        var senders = EventSenders()
        var looked = 0
        for number in 0..<(3 * EventSenders.addressesMaximum) {
            let address = try #require(IPAddress(bytes: [10, 0, UInt8(number >> 8), UInt8(number & 255)]))
            for _ in 0..<2 {
                let lookup = senders.lookup(address, in: apps) { peer throws(EventGate.Refusal) in
                    #expect(peer == "\(address)")
                    looked += 1
                    throw .source
                }
                #expect(throws: EventGate.Refusal.source) { try lookup.sender.get() }
            }
            #expect(senders.count <= EventSenders.addressesMaximum)
        }
        #expect(looked == 3 * EventSenders.addressesMaximum)
    }

    @Test func aFullQueueRefusesTheNewest() throws {
        let queue = EventQueue()
        let datagram = try #require(EventDatagram(Array("POST /event/a?msg=x".utf8)))
        let app = PushApp(id: try AppID("news"))
        let access = Access(caller: .address, grants: [Access.Grant(app: app, scopes: [.publish])])
        let caller = try AuthorizedCaller(access, for: [.publish]) { access.choose(nil, scope: $0) }
        let event = QueuedEvent(datagram: datagram, sender: EventSender(caller))
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
