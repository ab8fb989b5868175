import Bus
import PushModel
import ServiceKit
import TestSupport
import Testing
import Topics

/// `event-stream` as a process, with clients that open their streams again.
@Suite(.timeLimit(.minutes(5))) struct StreamProcessTests {
    private static let path = "/apps/news/subscribe?events=sports"

    private func send(_ numbers: Range<Int>, producer: any BusProducer, body: String = "x") async throws {
        for number in numbers {
            let event = SampleEvents.event(UInt64(number), body: body)
            try await producer.send([Topics.events.message(event, key: event.key)])
        }
    }

    /// Goal: over kills of one instance after the other, clients that resume get every event once and in order. Method:
    /// two instances; each is killed twice while events come; every event is also published twice, as after a crash of
    /// a resolver.
    @Test(arguments: StreamFixture.Kind.allCases)
    func killsLoseAndDoubleNothing(kind: StreamFixture.Kind) async throws {
        let fixture = try await StreamFixture(kind, instances: 2)
        try await fixture.run {
            let clients = (0..<12).map { ResumingClient(Self.path, ports: fixture.ports, seed: UInt64($0)) }
            try await waitUntil { clients.allSatisfy { $0.stream.lastID != nil } }
            let producer = try await fixture.bus.makeProducer(ProducerOptions())
            for round in 0..<4 {
                async let sent: Void = send(round * 100..<(round + 1) * 100, producer: producer)
                let instance = fixture.instances[round % 2]
                await instance.kill()
                try await instance.start()
                try await sent
                try await send(round * 100..<(round + 1) * 100, producer: producer)
            }
            let isWhole = try await waitUntil(within: .seconds(60)) {
                clients.allSatisfy { $0.stream.numbers.count >= 400 }
            }
            for client in clients {
                await client.stop()
                #expect(client.stream.numbers == Array(0..<400) && client.stream.gaps == 0)
            }
            #expect(isWhole && clients.reduce(0) { $0 + $1.connections } > 12)
        }
    }

    /// Goal: with a key go its streams. Method: a key that the program's own command adds; then the app file as it was.
    @Test func aRemovedKeyEndsItsStreams() async throws {
        let fixture = try await StreamFixture()
        try await fixture.run {
            let adding = try ChildProcess(
                builtExecutable("carillon"), arguments: ["apps", "key", "news", "--scope", "listen"],
                environment: EnvironmentReader.processEnvironment().merging(["CARILLON_APPS": fixture.apps.path]) { $1 }
            )
            let ending = await adding.end()
            try #require(ending == .exited(0), "\(adding.lines)")
            let output = adding.lines.joined(separator: "\n")
            let key = try #require(output.firstMatch(of: /ck_[a-z0-9]+_[A-Za-z0-9_-]{43}/)).output
            let client = RawClient(port: fixture.ports[0])
            let path = "/subscribe?events=sports"
            let request = "GET \(path) HTTP/1.0\r\nAccept: text/event-stream\r\nAuthorization: Bearer \(key)\r\n\r\n"
            // The service reads the file again soon.
            try await waitUntil {
                let probe = RawClient(port: fixture.ports[0])
                let head = await blocking { () -> String? in
                    probe.send(request)
                    return probe.receive(through: "\r\n\r\n")
                }
                return head?.hasPrefix("HTTP/1.1 200") == true
            }
            let opened = await blocking { () -> String? in
                client.send(request)
                return client.receive(through: "id: ")
            }
            #expect(opened?.hasPrefix("HTTP/1.1 200") == true)
            fixture.apps.write("news.json", content: StreamFixture.app)
            _ = await blocking { client.receiveAll() }
            let refused = await blocking { () -> String? in
                let client = RawClient(port: fixture.ports[0])
                client.send(request)
                return client.receive(through: "\r\n\r\n")
            }
            #expect(refused?.hasPrefix("HTTP/1.1 401") == true)
            #expect(!fixture.instances[0].lines.contains { $0.contains(key) })
        }
    }

    /// Goal: a client that does not read is cut off; another one gets everything meanwhile.
    @Test func aSlowReaderHoldsUpNoOther() async throws {
        let fixture = try await StreamFixture()
        try await fixture.run {
            let slow = RawClient(port: fixture.ports[0])
            slow.send("GET \(Self.path) HTTP/1.0\r\nAccept: text/event-stream\r\n\r\n")
            let client = ResumingClient(Self.path, ports: fixture.ports, seed: 1)
            try await waitUntil { client.stream.lastID != nil }
            let producer = try await fixture.bus.makeProducer(ProducerOptions())
            // All together are more than the buffers of the kernel and of the stream hold; those sent at once are less, so
            // that the other client is not slow on a busy machine.
            let (count, atOnce) = (600, 3)
            for first in stride(from: 0, to: count, by: atOnce) {
                let body = String(repeating: "x", count: 20_000)
                try await send(first..<first + atOnce, producer: producer, body: body)
                try await waitUntil { client.stream.numbers.count >= first + atOnce }
            }
            await client.stop()
            #expect(client.stream.numbers == Array(0..<count) && client.connections == 1)
            try await waitUntil { try await fixture.instances[0].ended("slow") == 1 }
            let text = await blocking { slow.receiveAll() }
            var read = ReadStream()
            read.read(Array(text.drop { $0 != "\r\n" }.utf8))
            #expect(read.numbers.count < count && read.lastID != nil)
        }
    }

    @Test func aStopTellsClientsToComeAgain() async throws {
        let fixture = try await StreamFixture()
        try await fixture.run {
            let client = RawClient(port: fixture.ports[0])
            client.send("GET \(Self.path) HTTP/1.0\r\nAccept: text/event-stream\r\n\r\n")
            let opened = await blocking { client.receive(through: "id: ") }
            #expect(opened != nil)
            async let ending = fixture.instances[0].stop()
            let rest = await blocking { client.receiveAll() }
            #expect(rest.contains("\nretry: "))
            #expect(await ending == .exited(0))
        }
    }
}
