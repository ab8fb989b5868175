import ServiceKit
import Testing

@Suite struct AddressPolicyTests {
    @Test(arguments: [
        "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255",
        "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "168.63.129.17",
        "2606:4700:4700::1111", "2a00:1450:4001::1", "2001:200::1", "2003::1", "3fff:1000::1",
        // A public address embedded in IPv6.
        "::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
    ])
    func permitsWhatIsPublic(text: String) throws {
        #expect(AddressPolicy().permits(try #require(IPAddress(text))))
    }

    @Test(arguments: [
        // This host, in all its forms.
        "0.0.0.0", "0.1.2.3", "127.0.0.1", "127.255.255.255", "::", "::1",
        // Private, shared, link-local, unique local.
        "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1",
        "169.254.0.1", "fe80::1", "febf::1", "fec0::1", "fc00::1", "fdff:ffff::1",
        // Metadata services of several cloud providers.
        "169.254.169.254", "100.100.100.200", "192.0.0.192", "168.63.129.16", "fd00:ec2::254", "fe80::a9fe:a9fe",
        // Multicast, broadcast, reserved, documentation, benchmarks, relays.
        "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "ff02::1", "ff0e::1", "192.0.2.1",
        "198.51.100.7", "203.0.113.9", "198.18.0.1", "198.19.255.255", "192.88.99.1", "2001:db8::1", "3fff::1",
        "2001:2::1", "2001:10::1", "100::1", "5f00::1", "4000::1",
        // IPv4 embedded in IPv6: mapped, compatible, translated, 6to4, Teredo.
        "::ffff:127.0.0.1", "::ffff:a9fe:a9fe", "::ffff:0:127.0.0.1", "::127.0.0.1", "64:ff9b::10.0.0.1",
        "64:ff9b::a9fe:a9fe", "64:ff9b:1::10.0.0.1", "2002:7f00:1::", "2002:808:808::1",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    ])
    func refusesWhatIsNot(text: String) throws {
        #expect(!AddressPolicy().permits(try #require(IPAddress(text))))
    }

    @Test func permitsWhatIsAllowedByRange() throws {
        let ranges = try ["10.1.0.0/16", "127.0.0.1", "fd00::/8"].map { try AddressRange($0) }
        let policy = AddressPolicy(allowed: ranges)
        for text in ["10.1.2.3", "127.0.0.1", "fd12::1", "::ffff:10.1.2.3", "8.8.8.8"] {
            #expect(policy.permits(try #require(IPAddress(text))), "\(text)")
        }
        for text in ["10.2.0.1", "127.0.0.2", "fc00::1", "::ffff:10.2.0.1", "::1"] {
            #expect(!policy.permits(try #require(IPAddress(text))), "\(text)")
        }
    }

    @Test func aHostIsJudgedAsFarAsItIsAnAddress() throws {
        for host in [
            "example.com", "8.8.8.8", "2606:4700:4700::1111", "redis", "local.host", "xn--p1ai", "a1.b2",
            "3com.example",
        ] {
            #expect(AddressPolicy().mayPermit(host: host), "\(host)")
        }
        for host in [
            "127.0.0.1", "::1", "::ffff:10.0.0.1", "169.254.169.254", "fd00:ec2::254", "localhost", "a.localhost",
            "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0x7f.1", "10.0.0.1.", "localhost.", "1.2.3.4.5", "",
        ] {
            #expect(!AddressPolicy().mayPermit(host: host), "\(host)")
        }
        let local = AddressPolicy(allowed: [try AddressRange("127.0.0.0/8")])
        for host in ["127.0.0.1", "localhost", "a.localhost"] { #expect(local.mayPermit(host: host), "\(host)") }
        #expect(!local.mayPermit(host: "127.1"), "spelled for C alone")
    }
}
