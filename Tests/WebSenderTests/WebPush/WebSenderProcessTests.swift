import HTTP2
import ServiceKit
import Signing
import TestSupport
import Testing

/// The real program with a real Redis.
@Suite(.timeLimit(.minutes(3))) struct WebSenderProcessTests {
    @Test func aChunkGoesToTheServicesThatItsBrowsersName() async throws {
        let authority = try await TestAuthority()
        let script: @Sendable (HTTP2ServerRequest, Int) -> HTTP2Reaction = { request, _ in
            request.path == "/push/7" ? .status(410) : .status(201)
        }
        let large = try TestPushService(authority, script: script)
        let other = try TestPushService(authority, script: script)
        let redis = try await RedisServer(.forStores)
        let sender = try WebSenderProcess(
            redis, authority: authority, services: large.host, allowing: "127.0.0.0/8")
        // Every third at the other service, one at an address that no push may go to.
        let addresses = (0..<300).map { number in
            if number == 1 { return "https://169.254.169.254/push/1" }
            return "\(number % 3 == 0 ? other.origin : large.origin)/push/\(number)"
        }
        var results = try await ResultReader(sender.bus)
        try await sender.dispatch(addresses)
        // Those that wait for the window of the other service come back through the scheduler, which does not run here.
        let atOther = addresses.count { $0.hasPrefix(other.origin) }
        let atLarge = addresses.count { $0.hasPrefix(large.origin) }
        #expect(try await results.read(atLarge + 2), "\(results.endings.count) have ended; \(sender.lines)")
        #expect(large.requests.count == atLarge)
        #expect(results.count("invalid") + results.count("invalid_removed") == 1)
        #expect(results.endings.values.filter { $0.state == "failed" }.map(\.reason) == ["address_refused"])
        #expect((1...atOther).contains(other.requests.count))
        for request in large.requests + other.requests {
            #expect(sender.browser.read(request.body) == "Ding")
            #expect(VAPIDHeader(request.headers["authorization"])?.key == sender.key.publicText)
        }
        await results.close()
        #expect(await sender.stop() == .exited(0), "\(sender.lines)")
        await large.server.close()
        await other.server.close()
        await redis.stop()
    }

    /// Goal: a publisher can see which server its pushes wait for. Method: pushes to a port at which nothing listens.
    @Test func aServerThatDoesNotAnswerIsNotedInTheStore() async throws {
        let authority = try await TestAuthority()
        let redis = try await RedisServer(.forStores)
        let sender = try WebSenderProcess(redis, authority: authority, services: "", allowing: "127.0.0.0/8")
        let server = "127.0.0.1:\(FreePort.next())"
        try await sender.dispatch((0..<8).map { "https://\(server)/push/\($0)" })
        try await waitUntil { try await !sender.failingServers().isEmpty }
        let noted = try await sender.failingServers()
        #expect(Array(noted.keys) == [server] && noted.values.allSatisfy { $0 <= .seconds(5) }, "\(sender.lines)")
        #expect(await sender.stop() == .exited(0), "\(sender.lines)")
        await redis.stop()
    }

    /// Goal: a name cannot lead a push to an address that is not permitted by changing its address after a check. Method:
    /// the name first has a permitted address, and a push is delivered; then it has another one at which the same
    /// server answers, and the next connection is refused.
    @Test(.enabled { await WebSenderProcess.canReplaceHosts() }) func aNameThatChangesItsAddressIsJudgedAgain()
        async throws
    {
        let authority = try await TestAuthority()
        let service = try TestPushService(authority, address: "0.0.0.0")
        let redis = try await RedisServer(.forStores)
        let folder = TemporaryDirectory("hosts")
        let hosts = folder.write("hosts", content: "127.0.0.1 localhost\n")
        let sender = try WebSenderProcess(
            redis, authority: authority, services: service.host, allowing: "127.0.0.1/32", hosts: hosts)
        var results = try await ResultReader(sender.bus)
        try await sender.dispatch(service.addresses(1), task: 1)
        #expect(try await results.read(1), "\(sender.lines)")
        #expect(results.count("delivered") == 1)

        folder.write("hosts", content: "127.0.0.2 localhost\n")
        service.server.dropConnections()
        try await sender.dispatch(service.addresses(1), task: 2)
        #expect(try await results.read(2), "\(sender.lines)")
        #expect(results.endings.values.filter { $0.state == "failed" }.map(\.reason) == ["address_refused"])
        #expect(service.requests.count == 1)
        await results.close()
        #expect(await sender.stop() == .exited(0), "\(sender.lines)")
        await service.server.close()
        await redis.stop()
    }
}
