import HTTP2
import ServiceKit
import TestSupport
import Testing

/// Third-party clients against our server.
@Suite struct InteropTests {
    @Test func curl() async throws {
        let loopback = try await LoopbackServer(handler: { request in
            .answer(HTTP2Answer(418, headers: ["apns-id": "9"], body: request.body + Array(request.path.utf8)))
        })
        let process = try ChildProcess(
            "curl",
            arguments: [
                "--silent", "--show-error", "--http2", "--max-time", "30", "--cacert", loopback.authority.authorityFile,
                "--include", "--data", "ring ", "https://localhost:\(loopback.server.port)/3/device/ab",
            ])
        #expect(await process.end() == .exited(0))
        // The last lines may still be in transit when the process has exited.
        #expect(await process.line { $0 == "ring /3/device/ab" } != nil, "\(process.lines)")
        #expect(process.lines.first?.hasPrefix("HTTP/2 418") == true)
        #expect(process.lines.contains { $0.hasPrefix("apns-id: 9") })
        await loopback.server.close()
    }

    @Test func curlWithoutHTTP2IsRefused() async throws {
        let loopback = try await LoopbackServer()
        let process = try ChildProcess(
            "curl",
            arguments: [
                "--silent", "--http1.1", "--max-time", "30", "--cacert", loopback.authority.authorityFile,
                "https://localhost:\(loopback.server.port)/",
            ])
        // 35: the TLS handshake failed.
        #expect(await process.end() == .exited(35))
        await loopback.server.close()
    }

    /// A client with prior knowledge that does not negotiate ALPN is accepted if the configuration allows it.
    @Test(arguments: [(true, 0), (false, 200)]) func curlWithoutALPN(requiresALPN: Bool, status: Int) async throws {
        let loopback = try await LoopbackServer(adjust: { $0.requiresALPN = requiresALPN })
        let process = try ChildProcess(
            "curl",
            arguments: [
                "--silent", "--no-alpn", "--http2-prior-knowledge", "--max-time", "30", "--cacert",
                loopback.authority.authorityFile, "--write-out", "status %{http_code}\n",
                "https://localhost:\(loopback.server.port)/",
            ])
        #expect(await process.line { $0.hasPrefix("status") }?.hasSuffix(status == 0 ? " 000" : " 200") == true)
        await loopback.server.close()
    }

    @Test func h2loadOverSeveralConnections() async throws {
        let loopback = try await LoopbackServer()
        let process = try ChildProcess(
            "h2load",
            arguments: ["-n", "20000", "-c", "4", "-m", "200", "https://localhost:\(loopback.server.port)/ring"])
        #expect(await process.end() == .exited(0))
        #expect(await process.line { $0.hasPrefix("status codes: 20000 2xx") } != nil, "\(process.lines)")
        #expect(loopback.seen.withLock { $0 } == ["/ring": 20_000])
        await loopback.server.close()
    }

    /// The client's window is smaller than the body of the response.
    @Test func nghttpWithASmallWindow() async throws {
        let loopback = try await LoopbackServer(handler: { _ in .answer(HTTP2Answer(body: Array("abcdefghij".utf8))) })
        let process = try ChildProcess(
            "nghttp", arguments: ["--window-bits=2", "--timeout=30s", "https://localhost:\(loopback.server.port)/"])
        #expect(await process.end() == .exited(0))
        #expect(await process.line { $0.hasSuffix("abcdefghij") } != nil, "\(process.lines)")
        await loopback.server.close()
    }
}
