import Bus
import HTTP2
import ServiceKit
import TLSSocket
import TestSupport
import Testing

@testable import WebSender

@Suite(.timeLimit(.minutes(2))) struct PushServicePoolsTests {
    private let time = ManualTimeSource()

    private func pools(_ authority: TestAuthority, maximum: Int = 8) -> PushServicePools {
        var configuration = HTTP2Configuration()
        configuration.tls.authorityFile = authority.authorityFile
        configuration.tls.applicationProtocols = ["http/1.1"]
        let environment = WorkerEnvironment(
            time: time, random: SystemRandomSource(), log: quietLog, metrics: Metrics(), health: Health(time: time))
        return PushServicePools(configuration, poolsMaximum: maximum, environment: environment)
    }

    private func origin(_ port: UInt16, host: String = "localhost") -> PushOrigin {
        PushOrigin(scheme: .https, host: host, port: port)
    }

    @Test func aPoolIsUsedAgainAndClosedWhenItWasNotUsed() async throws {
        let authority = try await TestAuthority()
        let service = try TestPushService(authority)
        let pools = pools(authority)
        for _ in 0..<3 {
            let outcomes = try #require(await pools.send([HTTP2Request(.post, "/")], to: origin(service.server.port)))
            guard case .answered = outcomes[0] else {
                Issue.record("\(outcomes)")
                return
            }
        }
        #expect(Set(service.requests.map(\.connection)) == [1] && pools.count == 1)
        while pools.count > 0 {
            time.advance(by: .seconds(60))
            await Task.yield()
        }
        #expect(time.uptime >= .seconds(600))
        _ = await pools.send([HTTP2Request(.post, "/")], to: origin(service.server.port))
        #expect(service.requests.map(\.connection).last == 2)
        await pools.close()
        #expect(await pools.send([HTTP2Request(.post, "/")], to: origin(service.server.port)) == nil)
        await service.server.close()
    }

    @Test func poolsAreFew() async throws {
        let authority = try await TestAuthority()
        let service = try TestPushService(authority)
        let pools = pools(authority, maximum: 1)
        #expect(await pools.send([HTTP2Request(.post, "/")], to: origin(service.server.port)) != nil)
        let other = origin(service.server.port, host: "127.0.0.1")
        #expect(await pools.send([HTTP2Request(.post, "/")], to: other) == nil)
        #expect(service.requests.count == 1)
        await pools.close()
        await service.server.close()
    }

    @Test func aServiceWithoutHTTP2IsRememberedForAnHour() async throws {
        let authority = try await TestAuthority()
        let server = try SecureServer(authority, answer: .text(""))
        let pools = pools(authority)
        let outcomes = try #require(await pools.send([HTTP2Request(.post, "/")], to: origin(server.port)))
        #expect(outcomes.allSatisfy { $0.isNotOffered }, "\(outcomes)")
        #expect(await pools.send([HTTP2Request(.post, "/")], to: origin(server.port)) == nil)
        time.advance(by: .seconds(3_600))
        #expect(await pools.send([HTTP2Request(.post, "/")], to: origin(server.port)) != nil)
        await pools.close()
    }
}
