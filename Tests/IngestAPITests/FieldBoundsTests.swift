import JSONKit
import PushModel
import Store
import TestSupport
import Testing

@testable import IngestAPI

/// Each field at its limit and one beyond; a refused request changes nothing.
@Suite struct FieldBoundsTests {
    private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    private static let texts = ["lang", "version", "app_version", "category", "time_zone"]
    private static let aliases = RegistrationForm.aliases.map(\.name)

    static let taken: [(String, String)] =
        texts.map { ($0, text(RegistryBounds.textBytesMaximum)) } + aliases.map { ($0, text(Alias.bytesMaximum)) }
        + [
            ("badge", "0"), ("badge", "\(DeviceFields.badgeMaximum)"), ("contentAvailable", "1"),
            ("environment", "sandbox"), ("category", "%C3%A9"),
        ]

    static let refused: [(String, String)] =
        texts.map { ($0, text(RegistryBounds.textBytesMaximum + 1)) } + texts.map { ($0, "a%0Ab") }
        + aliases.map { ($0, text(Alias.bytesMaximum + 1)) } + aliases.map { ($0, "a%7Fb") }
        + [
            ("badge", "-1"), ("badge", "\(DeviceFields.badgeMaximum + 1)"), ("badge", "1.5"),
            ("badge", "99999999999999999999"), ("contentAvailable", "yes"),
            ("environment", "production%20"), ("environment", ""), ("time_zone", "Europe%20Berlin"),
            // 33 letters of two bytes: the limit counts bytes.
            ("lang", String(repeating: "%C3%A9", count: 33)),
        ]

    @Test(arguments: taken)
    func takes(name: String, value: String) async throws {
        try await IngestFixture.run { fixture in
            let id = try await fixture.subscriber()
            #expect(await fixture.form("POST", "/subscriber/\(id)", form: "\(name)=\(value)").status == 204)
            #expect(await fixture.form("GET", "/subscriber/\(id)").json[name] != nil)
        }
    }

    @Test(arguments: refused)
    func refuses(name: String, value: String) async throws {
        try await IngestFixture.run { fixture in
            let id = try await fixture.subscriber()
            let before = await fixture.form("GET", "/subscriber/\(id)").text
            fixture.time.advance(by: .seconds(1))
            let ping = await fixture.form("POST", "/subscriber/\(id)", form: "\(name)=\(value)")
            #expect(ping.status == 400)
            #expect(ping.error == "Invalid value for `\(name)'")
            #expect(ping.detail?.isEmpty == false)
            let registration = await fixture.form(
                "POST", "/subscribers", form: "proto=apns&token=\(SampleTokens.apns)&\(name)=\(value)")
            #expect(registration.status == 400)
            #expect(await fixture.form("GET", "/subscriber/\(id)").text == before)
        }
    }

    @Test(arguments: RegistrationForm.aliases.map(\.name) + ["lang", "badge", "token", "proto", "environment"])
    func aListIsNoValue(name: String) async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.json("POST", "/subscriber/\(SampleTokens.apns)", json: "{\"\(name)\":[1]}")
            #expect(response.status == 400)
            #expect(response.error == "Invalid value for `\(name)'")
            #expect(response.detail == "expected a string, got an array")
        }
    }

    @Test(arguments: [
        ("", "proto"), ("token=\(SampleTokens.apns)", "proto"), ("proto=apns", "token"), ("proto=&token=x", "proto"),
        ("proto=APNS&token=\(SampleTokens.apns)", "proto"), ("proto=apns&token=", "token"),
        ("proto=apns&token=\(SampleTokens.apns)00g", "token"),
        ("proto=apns&token=\(SampleTokens.apns.dropLast(2))", "token"),
        ("proto=apns&token=\(SampleTokens.apns)0", "token"),
        ("proto=fcm&token=\(String(repeating: "a", count: 31))", "token"),
        ("proto=fcm&token=\(String(repeating: "a", count: 4_097))", "token"),
        ("proto=fcm&token=\(String(repeating: "a", count: 40))%2B", "token"),
        ("proto=huawei&token=\(String(repeating: "a", count: 15))", "token"),
        ("proto=huawei&token=\(String(repeating: "a", count: 1_025))", "token"),
    ])
    func refusesRegistrations(form: String, field: String) async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.form("POST", "/subscribers", form: form)
            #expect(response.status == 400)
            #expect(response.headers["content-type"] == "application/json")
            #expect(response.error == "Invalid value for `\(field)'")
        }
    }

    @Test(arguments: ["apple", "", "web", "APNS"]) func unknownProtocolsAreRefused(proto: String) async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.form("POST", "/subscribers", form: "proto=\(proto)&token=https://push.test/1")
            #expect(response.status == 400)
            #expect(response.error == "Invalid value for `proto'")
            #expect(response.detail?.contains("huawei, webpush, wns, mpns or http") == true)
        }
    }

    private static let brokenText: [UInt8] = Array("{\"a\":\"".utf8) + [0xFF] + Array("\"}".utf8)

    @Test(arguments: [
        ("application/json", brokenText),
        ("application/json", Array("{".utf8)),
        ("application/json", Array("[]".utf8)),
        ("application/x-www-form-urlencoded", [0x61, 0x3D, 0xC3]),
        ("application/x-www-form-urlencoded", Array("a=%FF".utf8)),
    ])
    func bodiesThatCannotBeReadAreRefused(type: String, body: [UInt8]) async throws {
        try await IngestFixture.run { fixture in
            for path in ["/subscribers", "/subscriber/\(SampleTokens.apns)"] {
                let response = await fixture.send("POST", path, body: body, headers: ["Content-Type": type])
                #expect(response.status == 400)
                #expect(response.error == "Invalid body")
                #expect(response.detail?.isEmpty == false)
            }
        }
    }

    @Test(arguments: ["text/plain", "", "multipart/form-data; boundary=x"])
    func otherContentTypesAreRefused(type: String) async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.send(
                "POST", "/subscribers", body: Array("a=b".utf8), headers: ["Content-Type": type])
            #expect(response.status == 415)
            #expect(response.error == "Unknown content type")
        }
    }

    /// The limit is the server's own, but the error has pushd's format.
    @Test func aBodyOverTheBoundIsRefusedInTheDialect() async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.send(
                "POST", "/subscribers", body: [],
                headers: ["Content-Length": "99999999", "Content-Type": "application/json"])
            #expect(response.status == 413)
            #expect(response.headers["content-type"] == "application/json")
            #expect(response.error == "Content Too Large")
        }
    }
}
