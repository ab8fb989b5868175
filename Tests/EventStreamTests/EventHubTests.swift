import Bus
import PushModel
import ServiceKit
import TestSupport
import Testing
import Topics

@testable import Apps
@testable import EventStream
@testable import HTTPServer

@Suite struct EventHubTests {
    private let time = ManualTimeSource()
    private let metrics = Metrics()
    private let apps = StreamApps()

    private func hub(
        listeners: Int = 100, perApp: Int = 100, held: [Int32: Range<Int64>] = [0: 0..<0], historyBytes: Int = 1 << 20
    ) -> EventHub {
        let hub = EventHub(
            limits: EventHub.Limits(
                listenersMaximum: listeners, listenersPerAppMaximum: perApp, historyBytesMaximum: historyBytes),
            metrics: metrics, time: time, random: SeededRandomSource(seed: 1))
        hub.restart(held)
        return hub
    }

    private func open(
        _ hub: EventHub, names: [String] = ["sports"], resuming: StreamPosition?? = nil, app: AppID = SampleEvents.news
    ) throws -> HTTPStream {
        try hub.open(apps.right(to: app), names: names.map(SampleEvents.topic), resuming: resuming)
    }

    private func send(
        _ numbers: some Sequence<Int>, to hub: EventHub, body: String = "x", topics: [String] = ["sports"]
    ) {
        hub.read(
            numbers.map {
                SampleEvents.message(
                    SampleEvents.event(UInt64($0), topics: topics, body: body), offset: Int64($0))
            })
    }

    /// What is in the buffer now, and whether the stream has ended after it.
    private func read(_ stream: HTTPStream, into client: inout ReadStream) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            switch buffer.withUnsafeMutableBytes({ stream.read(into: $0) }) {
            case .bytes(let count): client.read(Array(buffer[..<count]))
            case .wait: return false
            case .end, .cut: return true
            }
        }
    }

    private func ended(_ reason: String) -> Int {
        metrics.counter(.streamListenersEnded, labels: ["reason": reason]).value
    }

    @Test func aStreamBeginsAsPushdsAndTellsWhereItBegan() throws {
        let hub = hub()
        send(0..<3, to: hub)
        let stream = try open(hub)
        var buffer = [UInt8](repeating: 0, count: 1_000)
        let read = buffer.withUnsafeMutableBytes { stream.read(into: $0) }
        guard case .bytes(let count) = read else { return #expect(Bool(false), "\(read)") }
        let text = String(decoding: buffer[..<count], as: UTF8.self)
        #expect(text.hasPrefix("\nretry: ") && text.hasSuffix("\nid: \(StreamPosition([3]).text)\n\n"))
    }

    @Test func anEventIsPushdsWithAnID() throws {
        let hub = hub()
        let stream = try open(hub, names: ["b", "a"])
        var buffer = [UInt8](repeating: 0, count: 1_000)
        _ = buffer.withUnsafeMutableBytes { stream.read(into: $0) }
        send([0], to: hub, body: "two\nlines", topics: ["a", "b"])
        guard case .bytes(let count) = buffer.withUnsafeMutableBytes({ stream.read(into: $0) }) else { return }
        #expect(
            String(decoding: buffer[..<count], as: UTF8.self) == """
                id: \(StreamPosition([1]).text)
                data: {"event":"a","title":{},"message":{"default":"two\\nlines"},"data":{"number":0}}


                """)
    }

    /// Each event goes to those who listen to one of its topics in its app, once.
    @Test func listenersGetTheirEvents() throws {
        let hub = hub()
        let streams = [
            try open(hub), try open(hub, names: ["news", "sports"]), try open(hub, names: ["news"]),
            try open(hub, app: SampleEvents.shop),
        ]
        send([0], to: hub)
        send([1], to: hub, topics: ["sports", "news"])
        send([2], to: hub, topics: ["news"])
        for (stream, numbers) in zip(streams, [[0, 1], [0, 1, 2], [1, 2], []]) {
            var client = ReadStream()
            let isOver = read(stream, into: &client)
            #expect(client.numbers == numbers && !isOver)
        }
    }

    /// Goal: a reader that does not read is cut off with at most 64 KiB in its buffer and its last id known, and others
    /// notice nothing.
    @Test func aSlowReaderIsCutOff() throws {
        let hub = hub()
        let (slow, fast) = (try open(hub), try open(hub))
        var (slowClient, fastClient) = (ReadStream(), ReadStream())
        for number in 0..<100 {
            send([number], to: hub, body: String(repeating: "x", count: 2_000))
            #expect(!read(fast, into: &fastClient))
        }
        #expect(fastClient.numbers == Array(0..<100))
        hub.tick(apps.snapshot())
        #expect(ended("slow") == 0)
        time.advance(by: EventHub.behindMaximum + .seconds(1))
        hub.tick(apps.snapshot())
        #expect(ended("slow") == 1 && hub.listenerCount == 1)
        let isOver = read(slow, into: &slowClient)
        #expect(isOver && (25...32).contains(slowClient.numbers.count))
        #expect(slowClient.lastID == StreamPosition([Int64(slowClient.numbers.count)]).text)
    }

    /// Goal: events that come faster than the server's thread writes end no stream, and none is lost or doubled.
    /// Method: far more than fits into a buffer comes at once; then the client reads.
    @Test func aBurstCutsOffNoReader() async throws {
        let hub = hub()
        let stream = try open(hub)
        stream.attach {}
        send(0..<200, to: hub, body: String(repeating: "x", count: 2_000))
        var client = ReadStream()
        var sent = 200
        try await waitUntil {
            let isOver = read(stream, into: &client)
            if sent < 230 {
                send([sent], to: hub)
                sent += 1
            }
            return isOver || client.numbers.last == 229
        }
        #expect(client.numbers == Array(0..<230) && client.gaps == 0 && ended("slow") == 0)
        time.advance(by: EventHub.behindMaximum + .seconds(1))
        hub.tick(apps.snapshot())
        #expect(hub.listenerCount == 1)
    }

    /// Goal: a stream may end while its client catches up.
    @Test func aStreamEndsWhileItsClientCatchesUp() async throws {
        let hub = hub()
        send(0..<200, to: hub, body: String(repeating: "x", count: 2_000))
        let stream = try open(hub, resuming: StreamPosition([0]))
        stream.attach {}
        var client = ReadStream()
        try await waitUntil {
            _ = read(stream, into: &client)
            return client.numbers.count > 10
        }
        hub.drain(spreadingOver: .seconds(1))
        try await waitUntil { read(stream, into: &client) }
        #expect(client.numbers == Array(0..<client.numbers.count))
    }

    @Test func boundsAreKept() throws {
        let hub = hub(listeners: 3, perApp: 2)
        let first = try open(hub)
        _ = try open(hub)
        #expect(throws: EventHub.Refusal.appFull) { try open(hub) }
        _ = try open(hub, app: SampleEvents.shop)
        #expect(throws: EventHub.Refusal.full) { try open(hub, app: SampleEvents.shop) }
        first.leave()
        #expect(ended("left") == 1)
        _ = try open(hub)
    }

    @Test func noStreamIsOpenedBeforeTheLogIsRead() throws {
        let hub = hub(held: [0: 0..<2, 1: 5..<5])
        #expect(!hub.isCurrent)
        #expect(throws: EventHub.Refusal.starting) { try open(hub) }
        send(0..<2, to: hub)
        #expect(hub.isCurrent && hub.becameCurrent.hasHappened)
        _ = try open(hub)
    }

    /// Method: more is to be sent than fits into the buffer, so that the client reads while it catches up; more events
    /// come meanwhile.
    @Test func aClientCatchesUp() async throws {
        let hub = hub()
        send(0..<200, to: hub, body: String(repeating: "x", count: 2_000))
        let stream = try open(hub, resuming: StreamPosition([50]))
        stream.attach {}
        var client = ReadStream()
        var sent = 200
        try await waitUntil {
            let isOver = read(stream, into: &client)
            if sent < 230 {
                send([sent], to: hub)
                sent += 1
            }
            return isOver || client.numbers.last == 229
        }
        #expect(client.numbers == Array(50..<230) && client.gaps == 0)
    }

    @Test func anUnreadablePositionIsAGap() throws {
        let hub = hub()
        send(0..<3, to: hub)
        let stream = try open(hub, resuming: .some(nil))
        send([3], to: hub)
        var client = ReadStream()
        _ = read(stream, into: &client)
        #expect(client.gaps == 1 && client.numbers == [3])
    }

    /// Goal: a client that comes from an instance which has read more gets nothing twice; one that comes with a
    /// position of a log that is gone is told so.
    @Test func aClientThatIsAheadWaits() async throws {
        let hub = hub()
        send(0..<3, to: hub)
        let streams = [
            try open(hub, resuming: StreamPosition([5])), try open(hub, resuming: StreamPosition([1_000])),
        ]
        for stream in streams { stream.attach {} }
        var clients = [ReadStream(), ReadStream()]
        // Both are live once their catching up has found nothing to send.
        try await waitUntil { metrics.counter(.streamListenersResumed).value == 2 && hub.aheadCount == 2 }
        send(3..<8, to: hub)
        for number in 0..<2 { _ = read(streams[number], into: &clients[number]) }
        #expect(clients[0].numbers == [5, 6, 7] && clients[0].lastID == StreamPosition([8]).text)
        #expect(clients[1].numbers == [])
        for _ in 0..<2 { hub.readNothing() }
        send([8], to: hub)
        for number in 0..<2 { _ = read(streams[number], into: &clients[number]) }
        #expect(clients[0].numbers == [5, 6, 7, 8] && clients[0].gaps == 0)
        #expect(clients[1].numbers == [8] && clients[1].gaps == 1)
    }

    /// Goal: keep-alives come every ten seconds, and move the position of a client that gets no events.
    @Test func keepAlivesTellThePosition() throws {
        let hub = hub()
        let stream = try open(hub, names: ["news"])
        var client = ReadStream()
        _ = read(stream, into: &client)
        send(0..<5, to: hub)
        let snapshot = apps.snapshot()
        for _ in 0..<10 { hub.tick(snapshot) }
        _ = read(stream, into: &client)
        #expect(client.lastID == StreamPosition([5]).text && client.numbers == [])
        for _ in 0..<10 { hub.tick(snapshot) }
        var buffer = [UInt8](repeating: 0, count: 100)
        #expect(buffer.withUnsafeMutableBytes { stream.read(into: $0) } == .bytes(1))
        #expect(buffer[0] == UInt8(ascii: "\n"))
    }

    /// Goal: streams end with the key or ticket that opened them, and no other stream does.
    @Test func aStreamEndsWithItsRight() throws {
        let hub = hub()
        let ticket = try hub.open(
            apps.ticketRight(expires: time.now + .seconds(60)), names: [SampleEvents.topic("sports")], resuming: nil)
        let key = try open(hub)
        let other = try open(hub, app: SampleEvents.shop)
        hub.tick(apps.snapshot())
        #expect(hub.listenerCount == 3)
        time.advance(by: .seconds(61))
        for _ in 0..<10 { hub.tick(apps.snapshot()) }
        #expect(hub.listenerCount == 2)
        hub.tick(apps.snapshot(without: SampleEvents.news))
        #expect(hub.listenerCount == 1 && ended("revoked") == 2)
        var client = ReadStream()
        for stream in [ticket, key] { #expect(read(stream, into: &client)) }
        #expect(!read(other, into: &client))
    }

    @Test func aStopTellsClientsToComeAgain() throws {
        let hub = hub()
        let streams = try (0..<50).map { _ in try open(hub) }
        hub.drain(spreadingOver: .seconds(5))
        var retries: [Int] = []
        for stream in streams {
            var client = ReadStream()
            #expect(read(stream, into: &client))
            retries.append(try #require(client.retries.last))
        }
        #expect(retries.allSatisfy { (500...5_000).contains($0) })
        #expect(Set(retries.map { $0 / 1_000 }).count >= 4)
        #expect(throws: EventHub.Refusal.draining) { try open(hub) }
        #expect(ended("drained") == 50 && hub.listenerCount == 0)
    }

    @Test func anotherLogEndsAllStreams() throws {
        let hub = hub()
        let stream = try open(hub)
        hub.restart([0: 0..<0])
        var client = ReadStream()
        #expect(read(stream, into: &client) && ended("replaced") == 1)
        _ = try open(hub)
    }
}
