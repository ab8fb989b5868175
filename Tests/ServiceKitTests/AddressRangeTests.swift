import Testing

@testable import ServiceKit

@Suite struct AddressRangeTests {
    @Test(arguments: [
        ("10.0.0.0/8", "10.255.255.255", true), ("10.0.0.0/8", "11.0.0.0", false), ("10.1.2.3", "10.1.2.3", true),
        ("10.1.2.3", "10.1.2.4", false), ("192.168.4.0/22", "192.168.7.255", true),
        ("192.168.4.0/22", "192.168.8.0", false), ("0.0.0.0/0", "203.0.113.9", true),
        ("0.0.0.0/0", "2001:db8::1", false),
        ("2001:db8::/33", "2001:db8:7fff::1", true), ("2001:db8::/33", "2001:db8:8000::1", false),
        ("::/0", "2001:db8::1", true), ("::/0", "10.0.0.1", false), ("::1", "::1", true),
        // An IPv4 client of an IPv6 socket, in every notation.
        ("10.0.0.0/8", "::ffff:10.1.1.1", true), ("::ffff:10.0.0.0/8", "10.1.1.1", true),
    ])
    func containsItsAddressesAlone(_ range: String, address: String, isInside: Bool) throws {
        #expect(try AddressRange(range).contains(try #require(IPAddress(address))) == isInside)
    }

    @Test(arguments: [
        "", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "::/129", "10.0.0/8", "x",
        "/", "/8", "10.0.0.1/8", "fc01::/8", "localhost", "10.0.0.0/8 ", "0x7f.1",
    ])
    func refusesWhatIsNoRange(_ text: String) {
        #expect(throws: AddressRange.FormatError.self) { try AddressRange(text) }
    }

    @Test(arguments: [("10.0.0.5/8", "10.0.0.0/8"), ("2001:db8::1/32", "2001:db8::/32")])
    func refusesARangeThatBeginsElsewhere(_ text: String, range: String) {
        let expected = AddressRange.FormatError(
            description: "expected the first address of the range, \(range), or one address without a /")
        #expect(throws: expected) { try AddressRange(text) }
    }

    @Test(arguments: [
        "10.0.0.0/8", "10.1.2.3", "2001:db8::/33", "::/0", "0.0.0.0/0", "fc00::/7", "::1", "192.168.0.0/17",
    ])
    func printsAsItIsWritten(_ text: String) throws {
        #expect("\(try AddressRange(text))" == text)
    }

    @Test(arguments: ["", "10.0.0", "10.0.0.0.0", "fe80::1%eth0", "localhost", "10.0.0.0\0"])
    func otherTextIsNoAddress(_ text: String) {
        #expect(IPAddress(text) == nil)
    }
}
