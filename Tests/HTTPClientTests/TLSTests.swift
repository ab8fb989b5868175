import Glibc
import HTTPClient
import ServiceKit
import TestSupport
import Testing

/// Tests against `openssl s_server`, which answers every request with a page about the connection.
@Suite struct TLSTests {
    @Test func aServerOfATrustedAuthorityAnswers() async throws {
        let authority = try await TestAuthority()
        let outcome = try await outcome(from: authority, trusting: authority.authorityFile)
        #expect(outcome.response?.status == 200)
        #expect(outcome.response?.text.contains("TLSv1.3") == true)
    }

    @Test func aServerOfAnotherAuthorityIsNotSpokenTo() async throws {
        let stranger = try await TestAuthority()
        let outcome = try await outcome(from: try await TestAuthority(), trusting: stranger.authorityFile)
        #expect(outcome.notSent == .untrusted)
        withExtendedLifetime(stranger) {}
    }

    @Test func aServerOfATestAuthorityIsNotTrustedByDefault() async throws {
        let outcome = try await outcome(from: try await TestAuthority(), trusting: nil)
        #expect(outcome.notSent == .untrusted)
    }

    @Test func anAuthorityFileThatIsNoneIsOurFault() async throws {
        let outcome = try await outcome(from: try await TestAuthority(), trusting: "/nonexistent/ca.pem")
        #expect(outcome.notSent == .misconfigured)
    }

    @Test func aServerThatKnowsOldTLSAloneIsRefused() async throws {
        let authority = try await TestAuthority()
        let outcome = try await outcome(
            from: authority, trusting: authority.authorityFile, ["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"])
        #expect(outcome.notSent == .handshake)
    }

    @Test func aServerWithoutTLSIsNotSpokenTo() async throws {
        let server = try ScriptedServer([.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), .hold])
        try await withClient { client in
            let outcome = await client.send(
                HTTPClientRequest(.post, url: "https://127.0.0.1:\(server.port)/", to: .trusted))
            #expect(outcome.notSent == .handshake)
        }
    }

    private func outcome(
        from authority: TestAuthority, trusting file: String?, _ options: [String] = []
    ) async throws -> HTTPClientOutcome {
        let port = FreePort.next()
        let arguments = ["s_server", "-www", "-accept", "127.0.0.1:\(port)", "-cert", authority.certificateFile]
        let server = try ChildProcess("openssl", arguments: arguments + ["-key", authority.keyFile] + options)
        try #require(await server.line { $0.hasPrefix("ACCEPT") } != nil)
        var configuration = HTTPClientConfiguration.forTests
        configuration.authorityFile = file
        let outcomes = Monitor<[HTTPClientOutcome]>([])
        try await withClient(configuration) { client in
            let outcome = await client.send(HTTPClientRequest(.get, url: "https://localhost:\(port)/", to: .trusted))
            outcomes.change { $0.append(outcome) }
        }
        server.signal(SIGTERM)
        return try #require(outcomes.withLock { $0.first })
    }
}
