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
}
