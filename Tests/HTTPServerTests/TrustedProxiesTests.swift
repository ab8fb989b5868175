import ServiceKit
import Testing

@testable import HTTPServer

@Suite struct TrustedProxiesTests {
    private func client(
        _ peer: String, headers: KeyValuePairs<String, String>, field: TrustedProxies.Field = .xForwardedFor
    ) throws -> String? {
        let proxies = TrustedProxies(
            ranges: [try AddressRange("10.0.0.0/8"), try AddressRange("2001:db8::/32")], field: field)
        return proxies.client(peer: IPAddress(peer), HTTPHeaders(headers))?.description
    }

    @Test func aClientWithoutAProxyIsBelievedNothing() throws {
        #expect(try client("192.0.2.1", headers: ["X-Forwarded-For": "198.51.100.1"]) == "192.0.2.1")
    }

    @Test(arguments: [
        ("198.51.100.1", "198.51.100.1"), ("198.51.100.1:4711", "198.51.100.1"),
        ("[2001:db9::1]:80", "2001:db9::1"), ("2001:db9::1", "2001:db9::1"),
        // The client's own entries precede those that the proxies appended.
        ("203.0.113.9, 198.51.100.1", "198.51.100.1"), ("203.0.113.9, 198.51.100.1, 10.0.0.2", "198.51.100.1"),
        ("10.0.0.3, 10.0.0.2", "10.0.0.3"), ("203.0.113.9, unknown, 10.0.0.2", "10.0.0.2"), ("", "10.0.0.1"),
    ])
    func theLastAddressThatIsNoProxyIsTheClient(value: String, expected: String) throws {
        #expect(try client("10.0.0.1", headers: ["X-Forwarded-For": value]) == expected)
    }

    @Test func severalFieldsAreOneList() throws {
        let headers: KeyValuePairs = ["X-Forwarded-For": "203.0.113.9", "x-forwarded-for": "198.51.100.1"]
        #expect(try client("10.0.0.1", headers: headers) == "198.51.100.1")
    }

    /// A proxy that sets one of the fields forwards the other as the client wrote it.
    @Test func onlyTheFieldThatIsConfiguredIsBelieved() throws {
        #expect(try client("10.0.0.1", headers: ["Forwarded": "for=198.51.100.1"]) == "10.0.0.1")
        #expect(try client("10.0.0.1", headers: ["X-Forwarded-For": "198.51.100.1"], field: .forwarded) == "10.0.0.1")
    }

    @Test(arguments: [
        ("for=198.51.100.1", "198.51.100.1"), ("For=\"198.51.100.1:80\";proto=https", "198.51.100.1"),
        ("proto=https; for=\"[2001:db9::1]:80\" ", "2001:db9::1"),
        ("for=203.0.113.9, by=x;for=198.51.100.1, for=10.0.0.2", "198.51.100.1"),
        ("for=\"_hidden, for=203.0.113.9\"", "10.0.0.1"),
        // A client opens a quoted string, which would swallow what the proxy appends.
        ("for=203.0.113.9;x=\", for=198.51.100.1", "10.0.0.1"), ("for=203.0.113.9, proto=http", "10.0.0.1"),
    ])
    func readsTheStandardField(value: String, expected: String) throws {
        #expect(try client("10.0.0.1", headers: ["Forwarded": value], field: .forwarded) == expected)
    }

    @Test func whoHasOneAddressOfIPv6HasItsWholeNetwork() {
        #expect(ClientAddress(IPAddress("2001:db8:1:2:3:4:5:6")).payer == "2001:db8:1:2::")
        #expect(ClientAddress(IPAddress("192.0.2.1")).payer == "192.0.2.1")
    }
}
