import ServiceKit
import Testing

@Suite struct WebAddressTests {
    @Test(arguments: [
        "https://example.com", "https://example.com/", "https://example.com:8443/a?b#c", "HTTPS://Example.com",
        "https://example.com.", "https://a_b-c.example", "https://10.0.0.1:1", "https://[::1]",
        "https://[2001:db8::1]:443/",
        "https://example.com?q=1", "https://example.com#top", "https://example.com:65535", "https://esimerkki.fi/pää",
        "https://pää.fi", "https://example.com/a:b@c[d]",
    ])
    func takesWhatIsOne(text: String) {
        #expect(WebAddress(text)?.scheme == .https)
    }

    @Test(arguments: [
        "", "https", "https:", "https:/example.com", "https://", "https:///x", "https://?q", "https://#x",
        "https://:443", "https://example.com:", "https://example.com:0", "https://example.com:065",
        "https://example.com:65536", "https://example.com:99999999999999999999", "https://example.com:4a",
        "https://example.com:-1", "https://.", "https://..", "https://.example.com", "https://example..com",
        "https://example.com..", "https://user@example.com", "https://user:word@example.com", "https://[", "https://]",
        "https://[]", "https://[::1", "https://::1]", "https://::1", "https://[example.com]", "https://[10.0.0.1]",
        "https://[::1]x", "https://[::1]:", "https://[::1]:0", "https://exam ple.com", "https://example.com/a b",
        "https://example.com/\n", "https://example.com\u{0}", "https://exa%6Dple.com", "https://a,b", "https://a\\b",
        "ftp://example.com", "//example.com", "example.com", " https://example.com", "httpsx://example.com",
    ])
    func refusesWhatIsNone(text: String) {
        #expect(WebAddress(text) == nil)
    }

    @Test func thePlainSchemeIsDistinguished() {
        #expect(WebAddress("http://example.com")?.scheme == .http)
    }

    @Test(arguments: [
        ("https://example.com", "example.com", 443), ("http://Example.COM./a", "example.com", 80),
        ("https://example.com:8443?x", "example.com", 8_443), ("http://127.0.0.1:1#a", "127.0.0.1", 1),
        ("https://[2001:DB8::1]:444/", "2001:db8::1", 444), ("https://[::1]", "::1", 443),
        ("https://PÄÄ.fi/", "pÄÄ.fi", 443),
    ])
    func itsHostAndPortAreThoseOfTheConnection(text: String, host: String, port: Int) throws {
        let address = try #require(WebAddress(text))
        #expect(address.host.utf8.elementsEqual(host.utf8))
        #expect(address.port == port)
    }

    @Test func itsLengthIsBounded() {
        let start = "https://example.com/"
        let rest = String(repeating: "x", count: WebAddress.bytesMaximum - start.utf8.count)
        #expect(WebAddress(start + rest) != nil)
        #expect(WebAddress(start + rest + "x") == nil)
    }
}
