import HTTPClient
import ServiceKit
import TestSupport
import Testing

/// The policy applies to the address of the connection, however the URL spells it.
@Suite struct UntrustedAddressTests {
    @Test(arguments: [
        "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "017700000001", "127.0.0.1.",
        "localhost", "LOCALHOST", "0", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::]",
        "user@127.0.0.1", "example.com@127.0.0.1", "%31%32%37.0.0.1", "①②⑦.0.0.1",
    ])
    func noSpellingOfThisHostIsReached(host: String) async throws {
        let server = try ScriptedServer([.readHeader, .hold])
        try await withClient { client in
            let request = HTTPClientRequest(
                .post, url: server.url(host: host), to: .untrusted(AddressPolicy()), deadline: .seconds(10))
            let outcome = await client.send(request)
            #expect(outcome.notSent == .addressRefused || outcome.notSent == .invalid || outcome.notSent == .unresolved)
            if host == "127.0.0.1" || host == "localhost" || host == "2130706433" {
                #expect(outcome.notSent == .addressRefused)
            }
        }
        #expect(server.connections == 0)
    }

    @Test(arguments: [
        "169.254.169.254", "10.0.0.1", "192.168.1.1", "100.100.100.200", "[fe80::1]", "[fd00:ec2::254]",
        "[64:ff9b::a9fe:a9fe]", "[2002:7f00:1::]", "224.0.0.1", "255.255.255.255",
    ])
    func noInnerNetworkIsReached(host: String) async throws {
        try await withClient { client in
            let request = HTTPClientRequest(
                .get, url: "http://\(host)/latest/meta-data", to: .untrusted(AddressPolicy()), deadline: .seconds(10))
            let outcome = await client.send(request)
            #expect(outcome.notSent == .addressRefused, "\(outcome)")
        }
    }

    @Test func whatIsAllowedByRangeIsReached() async throws {
        let server = try ScriptedServer([.readHeader, .send("HTTP/1.1 204 No Content\r\n\r\n")])
        let policy = AddressPolicy(allowed: [try AddressRange("127.0.0.0/8")])
        try await withClient { client in
            let outcome = await client.send(HTTPClientRequest(.post, url: server.url(), to: .untrusted(policy)))
            #expect(outcome.response?.status == 204)
        }
    }

    /// A trusted request leaves a connection that libcurl would reuse for an untrusted request to the same host.
    @Test func aConnectionKeptFromATrustedRequestIsJudgedAgain() async throws {
        let answer = ScriptedServer.Step.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        let server = try ScriptedServer([.readHeader, answer, .readHeader, answer, .hold])
        try await withClient { client in
            let trusted = await client.send(HTTPClientRequest(.get, url: server.url(), to: .trusted))
            #expect(trusted.response?.text == "ok")
            let outcome = await client.send(HTTPClientRequest(.get, url: server.url(), to: .untrusted(AddressPolicy())))
            #expect(outcome.notSent == .addressRefused)
        }
        #expect(server.requests.count == 1)
    }
}
