import Glibc
import HTTP2
import ServiceKit
import TLSSocket
import TestSupport
import Testing

/// Peers to which no request may ever be written.
@Suite struct StrangePeerTests {
    private func pool(
        port: UInt16, serverName: String? = nil, _ authority: TestAuthority,
        adjust: (inout HTTP2Configuration) -> Void = { _ in }
    ) -> HTTP2Pool {
        var configuration = HTTP2Configuration()
        configuration.tls.authorityFile = authority.authorityFile
        configuration.reconnectBackoff = Backoff(first: .milliseconds(5), longest: .milliseconds(50))
        adjust(&configuration)
        let endpoint = HTTP2Endpoint(host: "localhost", port: port, serverName: serverName)
        return HTTP2Pool(endpoint, configuration: configuration, log: quietLog, metrics: Metrics())
    }

    /// A request waits until its deadline for the peer to recover; the error message contains the reason.
    private func reason(_ pool: HTTP2Pool) async throws -> String {
        let outcome = await pool.send(HTTP2Request(.get, "/", limit: .milliseconds(1_500)))
        await pool.close()
        guard case .notSent(let error) = outcome, error.code == .deadline else {
            throw UnexpectedOutcomeError(outcome: outcome)
        }
        return error.message
    }

    private struct UnexpectedOutcomeError: Error {
        let outcome: HTTP2Outcome
    }

    private func opensslServer(_ authority: TestAuthority, options: String...) async throws -> (ChildProcess, UInt16) {
        let port = FreePort.next()
        let process = try ChildProcess(
            "openssl",
            arguments: [
                "s_server", "-accept", "127.0.0.1:\(port)", "-cert", authority.certificateFile, "-key",
                authority.keyFile,
            ]
                + options)
        try #require(await process.line { $0.hasPrefix("ACCEPT") } != nil, "\(process.lines)")
        return (process, port)
    }

    /// Waiting cannot help here, so the error is returned immediately.
    @Test func aStrangersCertificate() async throws {
        let loopback = try await LoopbackServer()
        let stranger = try await TestAuthority()
        let pool = pool(port: loopback.server.port, stranger)
        let outcome = await pool.send(requests(1)[0])
        #expect(outcome.isNotSent && outcome.code == .untrusted)
        #expect(loopback.seen.withLock { $0.isEmpty })
        await loopback.end(pool)
        withExtendedLifetime(stranger) {}
    }

    @Test func aCertificateForAnotherHost() async throws {
        let loopback = try await LoopbackServer()
        let pool = pool(port: loopback.server.port, serverName: "example.com", loopback.authority)
        let outcome = await pool.send(requests(1)[0])
        #expect(outcome.isNotSent && outcome.code == .untrusted)
        await loopback.end(pool)
    }

    @Test func aMissingAuthorityFile() async throws {
        let loopback = try await LoopbackServer()
        let pool = pool(port: loopback.server.port, loopback.authority) { $0.tls.authorityFile = "/nowhere.pem" }
        let outcome = await pool.send(requests(1)[0])
        #expect(outcome.isNotSent && outcome.code == .misconfigured)
        await loopback.end(pool)
    }

    @Test func oneThatDoesNotAgreeOnHTTP2() async throws {
        let authority = try await TestAuthority()
        let (server, port) = try await opensslServer(authority)
        let pool = pool(port: port, authority)
        // At once, although there is no other obstacle than a server that may change.
        let outcome = await pool.send(requests(1)[0])
        #expect(outcome.isNotSent && outcome.code == .notOffered)
        await pool.close()
        withExtendedLifetime(server) {}
    }

    /// Named by somebody outside, at an address that only the inside can reach.
    @Test func oneAtAnAddressThatIsNotPermitted() async throws {
        let loopback = try await LoopbackServer()
        let judged = Monitor<[String]>([])
        let pool = pool(port: loopback.server.port, loopback.authority) {
            $0.permitsAddress = { address in
                judged.change { $0.append("\(address)") }
                return false
            }
        }
        let outcome = await pool.send(requests(1)[0])
        #expect(outcome.isNotSent && outcome.code == .addressRefused)
        #expect(judged.withLock { $0.contains("127.0.0.1") })
        #expect(loopback.seen.withLock { $0.isEmpty })
        await loopback.end(pool)
    }

    @Test func oneThatKnowsOnlyTLS11() async throws {
        let authority = try await TestAuthority()
        let (server, port) = try await opensslServer(
            authority, options: "-tls1_1", "-cipher", "ALL:@SECLEVEL=0", "-alpn", "h2")
        #expect(try await reason(pool(port: port, authority)).contains("TLS handshake"))
        withExtendedLifetime(server) {}
    }

    /// The server sends our preface back, line by line and reversed.
    @Test func oneThatTalksGarbageInsideTLS() async throws {
        let authority = try await TestAuthority()
        let (server, port) = try await opensslServer(authority, options: "-alpn", "h2", "-rev")
        #expect(try await reason(pool(port: port, authority)).contains("HTTP/2"))
        withExtendedLifetime(server) {}
    }

    /// A listener that accepts nothing: the kernel completes the connection, then no bytes arrive.
    @Test func oneThatNeverAnswersTheHandshake() async throws {
        let authority = try await TestAuthority()
        let listener = try TCPListener(address: "127.0.0.1", port: 0)
        let pool = pool(port: listener.port, authority) { $0.openLimit = .milliseconds(100) }
        #expect(try await reason(pool).contains("not ready within 100ms"))
    }

    @Test func oneThatIsNotThere() async throws {
        let authority = try await TestAuthority()
        #expect(try await reason(pool(port: FreePort.next(), authority)).contains("Connection refused"))
    }

    @Test func aHostWithoutAnAddress() async throws {
        let configuration = HTTP2Configuration()
        let pool = HTTP2Pool(
            HTTP2Endpoint(host: "no.such.host.invalid"), configuration: configuration, log: quietLog, metrics: Metrics()
        )
        #expect(try await reason(pool).contains("has no address"))
    }
}
