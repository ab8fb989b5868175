import Testing

@testable import WebSender

@Suite struct PushOriginTests {
    @Test(arguments: [
        ("https://push.example.com/send/1", "https://push.example.com"),
        ("HTTPS://Push.Example.COM:443/x", "https://push.example.com"),
        ("http://push.example.com:80?x", "http://push.example.com"),
        ("https://push.example.com:8443#x", "https://push.example.com:8443"),
        ("http://push.example.com:443/", "http://push.example.com:443"),
        ("https://[2001:DB8::1]/x", "https://[2001:db8::1]"),
        ("https://[2001:db8::1]:8443/x", "https://[2001:db8::1]:8443"),
    ])
    func anOriginIsSchemeHostAndPort(address: String, origin: String) throws {
        #expect(try #require(PushOrigin(address: address)).description == origin)
    }

    /// A name that is not ASCII could be mapped to another host, and a name before the host hides it.
    @Test(arguments: [
        "", "push.example.com", "ftp://push.example.com/", "https:///x", "https://push.example.com:0/",
        "https://push.example.com:99999/", "https://evil.example\u{FF0F}.notify.windows.com/",
        "https://b\u{FC}cher.example/", "https://db5.notify.windows.com@evil.example/", "https://a b.example/",
        #"https://evil.example\.notify.windows.com/"#,
    ])
    func whatIsNoPlainAddressHasNoOrigin(address: String) {
        #expect(PushOrigin(address: address) == nil)
    }

    @Test(arguments: [
        ("https://notify.windows.com/x", true), ("https://db5p.NOTIFY.windows.com./x", true),
        ("https://a.b.notify.windows.com:8443/x", true), ("https://evilnotify.windows.com/x", false),
        ("https://notify.windows.com.evil.example/x", false), ("https://windows.com/x", false),
        ("https://evil.example/.notify.windows.com", false), ("https://evil.example?.notify.windows.com", false),
        ("https://evil.example#.notify.windows.com", false),
    ])
    func aDomainHoldsItselfAndWhatIsBelow(address: String, isWithin: Bool) throws {
        let origin = try #require(PushOrigin(address: address))
        #expect(origin.isWithin(["example.org", "notify.windows.com"]) == isWithin)
    }
}
