import ServiceKit
import TLSSocket
import Testing

@testable import HTTP2

@Suite struct HostLookupTests {
    @Test func eachAttemptBeginsWithTheNextAddress() throws {
        let addresses = try ["127.0.0.1", "127.0.0.2", "127.0.0.3"].map {
            try #require(SocketAddress.resolve(host: $0, port: 443).first)
        }
        let finding = HostLookup.Finding(addresses: addresses, tls: try TLSContext(TLSConfiguration()))
        #expect(finding.rotated(by: 0).addresses == addresses)
        #expect(finding.rotated(by: 1).addresses == [addresses[1], addresses[2], addresses[0]])
        #expect(finding.rotated(by: 5).addresses == [addresses[2], addresses[0], addresses[1]])
    }

    @Test(arguments: [
        ("127.0.0.2", "127.0.0.2"), ("0x7f.1", "127.0.0.1"), ("::1", "::1"),
        ("::ffff:169.254.169.254", "169.254.169.254"),
    ])
    func theAddressThatIsConnectedIsJudged(host: String, address: String) throws {
        let endpoint = HTTP2Endpoint(host: host)
        let found = try SocketAddress.resolve(host: host, port: 443)
        let all = try HostLookup.permitted(found, of: endpoint, permits: { "\($0)" == address })
        #expect(all == found && !found.isEmpty)
        let error = #expect(throws: HTTP2Error.self) {
            try HostLookup.permitted(found, of: endpoint, permits: { "\($0)" != address })
        }
        #expect(error?.code == .addressRefused)
        #expect(error?.message.hasSuffix("at \(address)") == true, "\(error?.message ?? "")")
    }

    /// A name may have public addresses beside inner ones.
    @Test func onlyPermittedAddressesAreLeft() throws {
        let addresses = try ["10.0.0.1", "127.0.0.2", "10.0.0.2"].flatMap {
            try SocketAddress.resolve(host: $0, port: 443)
        }
        let permitted = try HostLookup.permitted(
            addresses, of: HTTP2Endpoint(host: "push.example"), permits: { $0.bytes[0] == 127 })
        #expect(permitted == [addresses[1]])
    }
}
