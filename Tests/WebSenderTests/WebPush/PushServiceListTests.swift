import HTTPClient
import ServiceKit
import Testing

@testable import WebSender

@Suite struct PushServiceListTests {
    @Test(arguments: [
        ("https://fcm.googleapis.com/fcm/send/a", true), ("https://FCM.googleapis.com/", true),
        ("https://updates.push.services.mozilla.com/wpush/v2/a", true), ("https://web.push.apple.com/a", true),
        ("https://eu.push.apple.com/a", true), ("https://wns2-par02p.notify.windows.com/w/?token=a", true),
        ("https://fcm.googleapis.com:8443/", false), ("http://fcm.googleapis.com/", false),
        ("https://fcm.googleapis.com.example.net/", false), ("https://xfcm.googleapis.com/", false),
        ("https://push.apple.com/", false), ("https://notify.windows.com/", false),
        ("https://evilnotify.windows.com/", false), ("https://notify.windows.com.example/", false),
    ])
    func theUsualHostsAreListed(address: String, isListed: Bool) throws {
        let origin = try #require(PushOrigin(address: address))
        #expect(PushServiceList.usual.contains(origin) == isListed)
    }

    @Test func aListNamesPortsAndDomains() throws {
        let list = try #require(PushServiceList("localhost:8443,*.push.example:444"))
        #expect(list.contains(try #require(PushOrigin(address: "https://localhost:8443/x"))))
        #expect(!list.contains(try #require(PushOrigin(address: "https://localhost/x"))))
        #expect(list.contains(try #require(PushOrigin(address: "https://a.b.push.example:444/"))))
        #expect(!list.contains(try #require(PushOrigin(address: "https://push.example:444/"))))
        #expect(list.description == "localhost:8443,*.push.example:444")
        #expect(try #require(PushServiceList("")).contains(try #require(PushOrigin(address: "https://a.b/"))) == false)
    }

    @Test func anEntryIsFoundAsItIsListed() throws {
        let list = try #require(PushServiceList("push.example:8443,a.push.example,*.push.example"))
        func entry(_ address: String) throws -> String? {
            list.entry(of: try #require(PushOrigin(address: address)))?.description
        }
        #expect(list.entries.map(\.description).joined(separator: ",") == list.description)
        #expect(try entry("https://push.example:8443/1") == "push.example:8443")
        #expect(try entry("https://a.push.example/1") == "a.push.example")
        #expect(try entry("https://b.a.push.example/1") == "*.push.example")
        #expect(try entry("https://push.example/1") == nil)
    }

    @Test func domainsAreListedWithTheHostsBelowThem() throws {
        let list = PushServiceList(below: ["notify.windows.com", "wns.example"])
        #expect(list == PushServiceList("*.notify.windows.com,*.wns.example"))
    }

    @Test(arguments: [
        ",", "a,", "*", "*.", "a b", "https://a", "a/b", "a:0", "a:65536", "a:443", "user@a", "a?b", "A", "*.*.a",
        "a,,b",
    ])
    func whatIsNoHostIsRefused(text: String) {
        #expect(PushServiceList(text) == nil)
    }

    @Test func theSettingSaysWhatItTakes() {
        var environment = EnvironmentReader(["CARILLON_WEBPUSH_SERVICES": "https://push.example"])
        _ = WebPushConfiguration(environment: &environment, addresses: .init())
        #expect(environment.problems.count == 1)
        #expect("\(environment.problems)".contains("CARILLON_WEBPUSH_SERVICES"))
    }
}
