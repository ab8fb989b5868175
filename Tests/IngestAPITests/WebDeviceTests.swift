import JSONKit
import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

@testable import IngestAPI

/// Browsers, Windows devices and publishers' servers, which are registered by their addresses, in both dialects.
@Suite struct WebDeviceTests {
    /// Of RFC 8291, section 5.
    static let publicKey =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    static let secret = "BTBZMqHH6r4Tts7J_aSIgg"
    static let endpoint = "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV"
    /// A byte of the point is changed.
    private static let offCurve =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw8"

    private static func subscription(
        endpoint: String = endpoint, publicKey: String = publicKey, secret: String = secret
    ) -> String {
        #""subscription":{"endpoint":"\#(endpoint)","expirationTime":null,"keys":{"p256dh":"\#(publicKey)","#
            + #""auth":"\#(secret)"}}"#
    }

    private func put(
        _ members: String, on fixture: IngestFixture, as key: IngestFixture.Key = .news,
        headers: [String: String] = [:]
    ) async -> RawClient.Response {
        await fixture.json("PUT", "/v1/devices", json: "{\(members)}", as: key, headers: headers)
    }

    private func keys(of id: String?, on fixture: IngestFixture) async throws -> WebPushKeys? {
        let id = try #require(id.flatMap { DeviceID($0) })
        return try await fixture.registry.device(id, in: fixture.news)?.device.webPushKeys
    }

    private func bytes(_ text: String) throws -> [UInt8] { try #require(Base64URL.decode(text)) }

    // MARK: The native API

    @Test func aBrowserIsRegisteredByItsSubscription() async throws {
        try await IngestFixture.run { fixture in
            let response = await put(Self.subscription() + #","language":"fi","topics":["news"]"#, on: fixture)
            #expect(response.status == 201, "\(response.text)")
            #expect(response.json["protocol"] == .string("webpush") && response.json["platform"] == .string("web"))
            #expect(response.json["token"] == .string(Self.endpoint))
            #expect(
                response.json["subscription"]?.compactText
                    == #"{"endpoint":"\#(Self.endpoint)","keys":{"p256dh":"\#(Self.publicKey)"}}"#)
            let id = response.json["id"]?.text
            let stored = try #require(await keys(of: id, on: fixture))
            #expect(try stored.publicKey == bytes(Self.publicKey) && stored.secret == bytes(Self.secret))
            let read = await fixture.json("GET", "/v1/devices/\(id ?? "")")
            #expect(read.text == response.text && !read.text.contains(Self.secret))
            let found = await fixture.json(
                "GET", "/v1/devices?protocol=webpush&token=\(Self.endpoint)", as: .publisher)
            #expect(found.json["devices"]?.elements?.first?["id"]?.text == id && !found.text.contains(Self.secret))
            let warning = response.headers["carillon-warning"]
            #expect(warning?.contains("no provider for webpush") == true)
        }
    }

    /// A browser that subscribes again at the same endpoint keeps its device; an update without keys is refused.
    @Test func newKeysReplaceTheOldOnes() async throws {
        try await IngestFixture.run { fixture in
            let first = await put(Self.subscription() + #","language":"fi""#, on: fixture)
            let other = "AAECAwQFBgcICQoLDA0ODw"
            let second = await put(Self.subscription(secret: other), on: fixture)
            #expect(second.status == 200 && second.json["id"] == first.json["id"])
            #expect(second.json["language"] == .string("fi"))
            let stored = try await keys(of: second.json["id"]?.text, on: fixture)
            #expect(stored?.secret == Array(0...15))
        }
    }

    /// Members that repeat what the subscription says must agree with it; members that browsers add are ignored.
    @Test func protocolAndTokenMayStandBesideASubscription() async throws {
        try await IngestFixture.run { fixture in
            let whole = Self.subscription().replacing("\"keys\"", with: #""later":{"x":[1]},"keys""#)
            let beside = #","protocol":"webpush","token":"\#(Self.endpoint)""#
            #expect(await put(whole + beside, on: fixture).status == 201)
        }
    }

    /// Some clients encode with the standard alphabet, or pad.
    @Test(arguments: [
        (publicKey.replacing("-", with: "+").replacing("_", with: "/"), secret.replacing("_", with: "/")),
        (publicKey + "=", secret + "=="),
        (publicKey.replacing("-", with: "+").replacing("_", with: "/") + "=", secret.replacing("_", with: "/") + "=="),
    ])
    func keysInOtherAlphabetsAreTheSame(publicKey: String, secret: String) async throws {
        try await IngestFixture.run { fixture in
            let native = await put(Self.subscription(publicKey: publicKey, secret: secret), on: fixture)
            #expect(native.status == 201, "\(native.text)")
            let stored = try #require(await keys(of: native.json["id"]?.text, on: fixture))
            #expect(try stored.publicKey == bytes(Self.publicKey) && stored.secret == bytes(Self.secret))
        }
    }

    private static let mistakes: [(members: String, field: String, detail: String)] = [
        (#""protocol":"webpush","token":"\#(endpoint)""#, "subscription", "missing; expected the browser's Push"),
        (#""subscription":7"#, "subscription", "expected an object"),
        (#""subscription":{}"#, "subscription.endpoint", "missing"),
        (#""subscription":{"endpoint":"\#(endpoint)"}"#, "subscription.keys", "missing"),
        (#""subscription":{"endpoint":"\#(endpoint)","keys":{"auth":"x"}}"#, "subscription.keys.p256dh", "missing"),
        (subscription(publicKey: offCurve), "subscription.keys.p256dh", "not a point of the curve P-256"),
        (subscription(publicKey: "B" + String(repeating: "A", count: 86)), "subscription.keys.p256dh", "not a point"),
        (subscription(publicKey: "C" + publicKey.dropFirst()), "subscription.keys.p256dh", "expected the browser's"),
        (subscription(publicKey: String(publicKey.dropLast())), "subscription.keys.p256dh", "expected the browser's"),
        (subscription(publicKey: publicKey + "==="), "subscription.keys.p256dh", "65 bytes in base64url"),
        (subscription(publicKey: publicKey + "A"), "subscription.keys.p256dh", "65 bytes in base64url"),
        (subscription(publicKey: ""), "subscription.keys.p256dh", "65 bytes in base64url"),
        (subscription(secret: "AAECAwQFBgcICQoLDA0O"), "subscription.keys.auth", "16 bytes in base64url"),
        (subscription(secret: "AAECAwQFBgcICQoLDA0OD?"), "subscription.keys.auth", "16 bytes in base64url"),
        (subscription(secret: String(repeating: "A", count: 4_000)), "subscription.keys.auth", "16 bytes"),
        (subscription() + #","protocol":"apns""#, "protocol", "expected webpush, or no protocol"),
        (subscription() + #","token":"\#(endpoint)x""#, "token", "expected the subscription's endpoint, or no token"),
        (subscription(endpoint: "http://push.example.net/1"), "subscription.endpoint", "an https:// address"),
        (subscription(endpoint: "https://a:b@push.example.net/1"), "subscription.endpoint", "without user name"),
        (subscription(endpoint: "https://push.example.net/1#a"), "subscription.endpoint", "and fragment"),
        (subscription(endpoint: "https:///push.example.net"), "subscription.endpoint", "with a host"),
        (subscription(endpoint: "https://[::1]:8443/1"), "subscription.endpoint", "at a public host; CARILLON_"),
        (#""protocol":"http","token":"ftp://example.com/1""#, "token", "http:// or https:// address"),
        (#""protocol":"http","token":"http://169.254.169.254/latest/""#, "token", "at a public host"),
        (#""protocol":"wns","token":"https://example.com/1""#, "token", "at a host of notify.windows.com"),
        (#""protocol":"mpns","token":"http://example.com/1""#, "token", "at a host of notify.live.net"),
    ]

    /// Nothing of a refused request is stored.
    @Test(arguments: mistakes)
    func aMistakeIsNamed(members: String, field: String, detail: String) async throws {
        try await IngestFixture.run { fixture in
            let response = await put(members, on: fixture)
            #expect(response.status == 400, "\(response.text)")
            let error = response.json["errors"]?.elements?.first { $0["field"] == .string(field) }
            #expect(error?["detail"]?.text?.contains(detail) == true, "\(response.text)")
            let left = try await fixture.registry.deviceCount(in: fixture.news)
            #expect(left == 0)
        }
    }

    @Test(arguments: [
        ("wns", "https://db3.notify.windows.com/?token=AgYAAACFGdWBiRCTypHebfvngI7D", "windows"),
        ("wns", "https://DB3.Notify.Windows.com/?token=a", "windows"),
        ("mpns", "http://sn1.notify.live.net/throttledthirdparty/01.00/AAE", "windows"),
        ("mpns", "https://sn1.notify.live.net/a", "windows"),
        ("http", "http://example.com:8080/push?id=1", "http"), ("http", "https://192.0.1.7/a", "http"),
    ])
    func otherAddressesAreRegisteredAsTokens(kind: String, address: String, platform: String) async throws {
        try await IngestFixture.run { fixture in
            let native = await put(
                #""protocol":"\#(kind)","token":"\#(address)","system_version":"8.0""#, on: fixture)
            #expect(native.status == 201, "\(native.text)")
            #expect(native.json["token"] == .string(address) && native.json["subscription"] == nil)
            #expect(native.json["platform"] == .string(platform))
            let form = await fixture.form("POST", "/subscribers", form: "proto=\(kind)&token=\(Self.escaped(address))")
            #expect(form.status == 200 && form.json["id"] == native.json["id"], "\(form.text)")
            #expect(form.json["version"] == .string("8.0"), "pushd's name of the system's version")
        }
    }

    /// Goal: the address of an internal service is refused in every spelling, and no foreign host gets the credentials
    /// for Microsoft's.
    @Test(arguments: [
        ("http", "http://127.0.0.1/"), ("http", "http://localhost:6379/"), ("http", "http://a.localhost/"),
        ("http", "http://10.0.0.1/"), ("http", "http://[::ffff:10.0.0.1]/"), ("http", "http://[fd00:ec2::254]/"),
        ("http", "http://[64:ff9b::a9fe:a9fe]/"), ("http", "http://0x7f000001/"), ("http", "http://2130706433/"),
        ("http", "http://127.1/"), ("http", "http://169.254.169.254./"), ("webpush", "https://192.168.0.1/"),
        ("webpush", "https://100.100.100.200/"), ("wns", "https://notify.windows.com.example.com/"),
        ("wns", "https://evilnotify.windows.com/"), ("wns", "https://example.com/.notify.windows.com/"),
        ("wns", "http://db3.notify.windows.com/"), ("mpns", "https://notify.live.net.example.com/"),
        ("mpns", "https://notify.live.net@example.com/"),
    ])
    func aDangerousAddressIsRefused(kind: String, address: String) async throws {
        try await IngestFixture.run { fixture in
            let native =
                kind == "webpush"
                ? await put(Self.subscription(endpoint: address), on: fixture)
                : await put(#""protocol":"\#(kind)","token":"\#(address)""#, on: fixture)
            let field = kind == "webpush" ? "subscription.endpoint" : "token"
            #expect(native.status == 400)
            #expect(native.json["errors"]?.elements?.map { $0["field"] } == [.string(field)], "\(native.text)")
            let keys = kind == "webpush" ? "&p256dh=\(Self.publicKey)&auth=\(Self.secret)" : ""
            let fields = "proto=\(kind)&token=\(Self.escaped(address))\(keys)"
            let form = await fixture.form("POST", "/subscribers", form: fields)
            #expect(form.status == 400 && form.error == "Invalid value for `token'", "\(form.text)")
            let path = await fixture.form("POST", "/subscriber/\(Self.escaped(address))", form: "proto=\(kind)\(keys)")
            #expect(path.status == 400)
        }
    }

    @Test func theOperatorMayAllowMore() async throws {
        var reader = EnvironmentReader([
            "CARILLON_INGEST_ALLOW_ADDRESSES": "127.0.0.0/8, ::1", "CARILLON_INGEST_WNS_DOMAINS": "127.0.0.1, wns.test",
            "CARILLON_INGEST_MPNS_DOMAINS": "::1",
        ])
        let rules = DeviceAddressRules(environment: &reader)
        try reader.finish()
        try await IngestFixture.run(addresses: rules) { fixture in
            for (kind, address) in [
                ("http", "http://localhost:1/a"), ("wns", "https://127.0.0.1:8443/a"), ("wns", "https://a.wns.test/"),
                ("mpns", "http://[::1]:2/"),
            ] {
                let response = await put(#""protocol":"\#(kind)","token":"\#(address)""#, on: fixture)
                #expect(response.status == 201, "\(address): \(response.text)")
            }
            let local = await put(Self.subscription(endpoint: "https://127.0.0.1:3/a"), on: fixture)
            #expect(local.status == 201)
            for (kind, address) in [("http", "http://10.0.0.1/"), ("wns", "https://db3.notify.windows.com/")] {
                let response = await put(#""protocol":"\#(kind)","token":"\#(address)""#, on: fixture)
                #expect(response.status == 400, "\(address)")
            }
        }
        for text in ["", " ", ",", "Notify.Windows.com", "a/b", "*.example.com"] {
            var reader = EnvironmentReader(["CARILLON_INGEST_WNS_DOMAINS": text])
            _ = DeviceAddressRules(environment: &reader)
            #expect(reader.problems.isEmpty == text.isEmpty, "\(text)")
        }
    }

    // MARK: Public keys

    /// What is sent to a browser is encrypted for its subscription; any other address would get the app's texts.
    @Test func aPublicKeyRegistersBrowsersOnly() async throws {
        try await IngestFixture.run { fixture in
            let origin = ["Origin": IngestFixture.pages]
            let browser = await put(Self.subscription(), on: fixture, as: .page, headers: origin)
            #expect(browser.status == 201, "\(browser.text)")
            for (kind, address) in [
                ("http", "https://example.com/"), ("wns", "https://db3.notify.windows.com/a"),
                ("mpns", "https://sn1.notify.live.net/a"),
            ] {
                let response = await put(#""protocol":"\#(kind)","token":"\#(address)""#, on: fixture, as: .app)
                #expect(response.status == 400)
                #expect(response.json["errors"]?.elements?.map { $0["field"] } == [.string("protocol")])
            }
            let left = try await fixture.registry.deviceCount(in: fixture.news)
            #expect(left == 1)
        }
    }

    /// The endpoint is known to its browser and the push service alone, as a token is.
    @Test func theEndpointProvesABrowser() async throws {
        try await IngestFixture.run { fixture in
            let id = try #require(await put(Self.subscription(), on: fixture, as: .page).json["id"]?.text)
            func ask(_ method: String, token: String) async -> Int {
                let headers = ["Carillon-Device-Token": token]
                return await fixture.json(method, "/v1/devices/\(id)", as: .page, headers: headers).status
            }
            #expect(await ask("GET", token: Self.endpoint + "x") == 404)
            #expect(await ask("GET", token: Self.endpoint) == 200)
            #expect(await ask("DELETE", token: "https://push.example.net/") == 404)
            #expect(await ask("DELETE", token: Self.endpoint) == 204)
        }
    }

    // MARK: pushd's dialect

    @Test func pushdsFormTakesABrowser() async throws {
        try await IngestFixture.run { fixture in
            let fields =
                "proto=webpush&token=\(Self.escaped(Self.endpoint))&p256dh=\(Self.publicKey)&auth=\(Self.secret)&lang=fr"
            let response = await fixture.form("POST", "/subscribers", form: fields)
            #expect(response.status == 201, "\(response.text)")
            #expect(response.json["proto"] == .string("webpush") && response.json["token"] == .string(Self.endpoint))
            #expect(response.json["p256dh"] == .string(Self.publicKey) && response.json["auth"] == nil)
            let id = try #require(response.json["id"]?.text)
            let stored = try await keys(of: id, on: fixture)
            #expect(try stored?.secret == bytes(Self.secret))
            let native = await put(Self.subscription(), on: fixture)
            #expect(native.status == 200 && native.json["id"] == .string(id))
            let path = await fixture.form("POST", "/subscriber/\(Self.escaped(Self.endpoint))", form: fields)
            #expect(path.status == 200 && path.json["id"] == .string(id), "\(path.text)")
        }
    }

    @Test(arguments: [
        ("auth=\(secret)", "p256dh", "missing"), ("p256dh=\(publicKey)", "auth", "missing"),
        ("p256dh=\(offCurve)&auth=\(secret)", "p256dh", "not a point of the curve"),
        ("p256dh=\(publicKey)&auth=AAAA", "auth", "16 bytes in base64url"),
    ])
    func pushdsFormChecksTheKeys(fields: String, field: String, detail: String) async throws {
        try await IngestFixture.run { fixture in
            let token = Self.escaped(Self.endpoint)
            for (path, form) in [
                ("/subscribers", "proto=webpush&token=\(token)&\(fields)"),
                ("/subscriber/\(token)", "proto=webpush&\(fields)"),
            ] {
                let response = await fixture.form("POST", path, form: form)
                #expect(response.status == 400 && response.error == "Invalid value for `\(field)'", "\(response.text)")
                #expect(response.detail?.contains(detail) == true, "\(response.text)")
            }
            let left = try await fixture.registry.deviceCount(in: fixture.news)
            #expect(left == 0)
        }
    }

    /// A change without the endpoint could give any device keys.
    @Test func keysChangeWithARegistrationOnly() async throws {
        try await IngestFixture.run { fixture in
            let id = try await fixture.subscriber()
            for field in ["p256dh=\(Self.publicKey)", "auth=\(Self.secret)"] {
                let response = await fixture.form("POST", "/subscriber/\(id)", form: field)
                #expect(response.status == 400)
                #expect(response.detail == "not allowed in a change; register the new token instead")
            }
            let apns = await fixture.form(
                "POST", "/subscribers",
                form: "proto=apns&token=\(SampleTokens.apns)&p256dh=\(Self.publicKey)&auth=\(Self.secret)")
            #expect(apns.status == 200 && apns.json["p256dh"] == nil, "as every field that is unknown")
        }
    }

    // MARK: The key of the app

    /// Any key of the app reads it, also those in pages.
    @Test func theAppsKeyIsReadable() async throws {
        try await IngestFixture.run { fixture in
            let text = #"{"public_key":"\#(Base64URL.encode(IngestFixture.webPushPublicKey))"}"#
            for key in IngestFixture.Key.allCases where ![.shop, .both, .publishers].contains(key) {
                let response = await fixture.json("GET", "/v1/web-push-key", as: key)
                #expect(response.status == 200 && response.text == text, "\(key): \(response.text)")
            }
            #expect(await fixture.json("GET", "/apps/news/v1/web-push-key", as: .both).text == text)
            let page = await fixture.json(
                "GET", "/v1/web-push-key", as: .page, headers: ["Origin": IngestFixture.pages])
            #expect(page.headers["access-control-allow-origin"] == IngestFixture.pages)
            let none = await fixture.json("GET", "/v1/web-push-key", as: .shop)
            #expect(none.status == 404 && none.json["type"] == .string("urn:carillon:no-web-push-key"))
            #expect(none.detail?.contains("carillon apps web-push") == true)
            #expect(await fixture.json("GET", "/apps/news/v1/web-push-key", as: .shop).status == 404)
            let stranger = await fixture.json("GET", "/v1/web-push-key", headers: ["Authorization": "Bearer x"])
            #expect(stranger.status == 401)
        }
    }

    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            byte.isASCIILetterOrDigit ? String(UnicodeScalar(byte)) : "%" + Hexadecimal.encode([byte])
        }.joined()
    }
}
