import Glibc
import ServiceKit
import TestSupport
import Testing

@testable import HTTPServer

@Suite struct StreamingTests {
    private static let request = "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n"

    private func router(_ streams: Inbox<HTTPStream>, bytesMaximum: Int = 64 << 10) -> HTTPRouter {
        var router = HTTPRouter()
        router.on(.get, pattern: "/stream") { _ in
            let stream = HTTPStream(bytesMaximum: bytesMaximum)
            streams.put(stream)
            return HTTPResponse(.ok, body: .stream(stream))
        }
        return router
    }

    @Test func whatIsWrittenArrivesAndTheEndIsSeen() async throws {
        let streams = Inbox<HTTPStream>()
        try await withRunning(HTTPServerConfiguration(), router: router(streams)) { _, port in
            let client = await blocking { RawClient(port: port) }
            await blocking { _ = client.send(StreamingTests.request) }
            let stream = try #require(await streams.first(1)?.first)
            #expect(await blocking { client.receive(through: "\r\n\r\n") }?.contains("chunked") == true)
            try await stream.write(Array("first".utf8))
            #expect(await blocking { client.receive(through: "first\r\n") } == "5\r\nfirst\r\n")
            try await stream.write(Array("second".utf8))
            stream.finish()
            #expect(await blocking { client.receive(through: "0\r\n\r\n") } == "6\r\nsecond\r\n0\r\n\r\n")
        }
    }

    @Test func aProducerRunsUntilItsReaderLeaves() async throws {
        let ended = Inbox<Bool>()
        var router = HTTPRouter()
        router.on(.get, pattern: "/stream") { _ in
            let stream = HTTPStream { stream in
                while (try? await stream.write([UInt8](repeating: 1, count: 10_000))) != nil {}
                ended.put(stream.hasReaderLeft)
            }
            return HTTPResponse(.ok, body: .stream(stream))
        }
        try await withRunning(HTTPServerConfiguration(), router: router) { _, port in
            await blocking {
                let client = RawClient(port: port)
                client.send(StreamingTests.request)
                _ = client.receive(through: "\r\n\r\n")
            }
            #expect(await ended.first(1) == [true])
        }
    }

    /// The client reads nothing, so the buffers of kernel and stream fill up, and the writer must be blocked.
    @Test func aWriterIsHeldBackByASlowReader() async throws {
        let streams = Inbox<HTTPStream>()
        try await withRunning(HTTPServerConfiguration(), router: router(streams)) { _, port in
            let client = await blocking { RawClient(port: port) }
            await blocking { _ = client.send("GET /stream HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n") }
            let stream = try #require(await streams.first(1)?.first)
            let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 32 << 10)
            var written = 0
            while written < 1 << 30, stream.tryWrite(piece) == .written { written += piece.count }
            #expect(written < 1 << 30)
            let reader = Task { await blocking { client.receiveAll() } }
            try await stream.write(Array("end".utf8))
            stream.finish()
            #expect(await reader.value.hasSuffix("end\r\n0\r\n\r\n"))
        }
    }

    @Test func aSilentStreamLearnsThatItsReaderLeft() async throws {
        let streams = Inbox<HTTPStream>()
        let left = Inbox<Bool>()
        let metrics = Metrics()
        try await withRunning(HTTPServerConfiguration(), router: router(streams), metrics: metrics) { server, port in
            await blocking {
                let client = RawClient(port: port)
                client.send(StreamingTests.request)
                _ = client.receive(through: "\r\n\r\n")
            }
            let stream = try #require(await streams.first(1)?.first)
            stream.onLeave { left.put(true) }
            #expect(await left.first(1) == [true])
            #expect(stream.tryWrite([1]) == .readerLeft)
            await #expect(throws: HTTPServerError.self) { try await stream.write([1]) }
            // Nothing is in flight, so this does not wait for its deadline.
            await server.stop(within: .seconds(30))
        }
        #expect(metrics.gauge(.httpConnectionsOpen, labels: ["server": "http"]).value == 0)
    }

    @Test func aStopCutsAStreamOffVisibly() async throws {
        let streams = Inbox<HTTPStream>()
        try await withRunning(HTTPServerConfiguration(), router: router(streams)) { server, port in
            let client = await blocking { RawClient(port: port) }
            await blocking {
                client.send(StreamingTests.request)
                _ = client.receive(through: "\r\n\r\n")
            }
            let stream = try #require(await streams.first(1)?.first)
            await server.stop(within: .milliseconds(10))
            // No last chunk: the client can tell that the body is incomplete.
            #expect(await blocking { client.receiveAll() } == "")
            #expect(stream.hasReaderLeft)
        }
    }

    /// Five thousand idle clients wait, then each gets one event. Both ends of every connection and other tests share
    /// this process, so the memory limit is a loose one.
    @Test func fiveThousandSilentClientsGetTheirEvent() async throws {
        let count = 5_000
        let streams = Inbox<HTTPStream>()
        try await withRunning(HTTPServerConfiguration(), router: router(streams)) { _, port in
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = limit.rlim_max
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            try #require(limit.rlim_cur > UInt(2 * count + 500))
            let before = residentBytes()
            let clients = await blocking { StreamingTests.openStreams(count, at: port) }
            let open = try #require(await streams.first(count))
            let bytesEach = (residentBytes() - before) / count
            // Other tests in this process use memory too, so this detects only large deviations.
            #expect(bytesEach < 256 << 10)
            for stream in open { #expect(stream.tryWrite(Array("event".utf8)) == .written) }
            let received = await blocking { clients.count { $0.receive(through: "event\r\n") != nil } }
            #expect(received == count)
        }
    }

    /// Reads the responses of a group together: if each client waited for its response before the next one connects,
    /// five thousand waits for the shared thread pool would take minutes on a busy machine.
    private static func openStreams(_ count: Int, at port: UInt16) -> [RawClient] {
        let groupCount = 250
        return stride(from: 0, to: count, by: groupCount).flatMap { start in
            let group = (start..<min(start + groupCount, count)).map { _ in
                let client = RawClient(port: port)
                client.send(StreamingTests.request)
                return client
            }
            for client in group { _ = client.receive(through: "\r\n\r\n") }
            return group
        }
    }

    private func residentBytes() -> Int {
        let text = SmallFile.read("/proc/self/statm", bytesMaximum: 4_096) ?? []
        let fields = String(decoding: text, as: UTF8.self).split(separator: " ")
        return (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
