import Apps
import HTTPServer
import JSONKit
import ServiceKit
import Store
import TestSupport
import Testing

@testable import IngestAPI

/// `limits.devices` in pushd's dialect.
@Suite struct DeviceLimitTests {
    private static func limits(_ devices: Int) -> AppLimits {
        var limits = AppLimits()
        limits.devices = devices
        return limits
    }

    private static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    @Test func aNewDeviceAboveTheLimitIsRefused() async throws {
        try await IngestFixture.run(limits: Self.limits(2)) { fixture in
            func register(_ number: Int, _ fields: String = "") async -> RawClient.Response {
                await fixture.form("POST", "/subscribers", form: "proto=apns&token=\(Self.token(number))\(fields)")
            }
            let id = try #require(await register(1).json["id"]?.text)
            #expect(await register(2).status == 201)
            let refused = [
                await register(3), await fixture.form("POST", "/subscriber/\(Self.token(3))", form: "lang=de"),
                await fixture.form("POST", "/apps/news/subscribers", form: "proto=apns&token=\(Self.token(4))"),
            ]
            for refused in refused {
                #expect(refused.status == 403)
                #expect(refused.headers["content-type"] == "application/json")
                #expect(refused.headers["retry-after"] == nil)
                #expect(refused.error == "Too many devices")
                #expect(refused.detail?.hasPrefix("The app has reached limits.devices of its app file: 2.") == true)
            }
            #expect(fixture.metrics.counter(.ingestDevicesRefused).value == 3)
            #expect(await register(1, "&lang=de").status == 200)
            #expect(await fixture.form("POST", "/subscriber/\(id)", form: "badge=1").status == 204)
            #expect(await fixture.form("POST", "/subscriber/\(id)/subscriptions/sport").status == 201)
            #expect(await fixture.form("GET", "/subscriber/\(id)").json["lang"]?.text == "de")
            let shop = ["Authorization": fixture.authorization(.shop)]
            let other = await fixture.form(
                "POST", "/subscribers", form: "proto=apns&token=\(Self.token(3))", headers: shop)
            #expect(other.status == 201, "another app has no limit")
            #expect(await fixture.form("DELETE", "/subscriber/\(id)").status == 204)
            #expect(await register(3).status == 201)
            #expect(await register(1).status == 403)
        }
    }

    /// A store that cannot count answers 503, which clients repeat, and never 403.
    @Test func aStoreThatFailsIsNoFullApp() async throws {
        try await IngestFixture.run(limits: Self.limits(1)) { fixture in
            fixture.registry.fail(with: .init(.unavailable, message: "away"))
            let form = "proto=apns&token=\(Self.token(1))"
            #expect(await fixture.form("POST", "/subscribers", form: form).status == 503)
            fixture.registry.fail(with: nil)
            #expect(await fixture.form("POST", "/subscribers", form: form).status == 201)
        }
    }

    /// The problem for dialects whose errors are problems of RFC 9457.
    @Test func theProblemHasAStableType() {
        let problem = TaskError.tooManyDevices(7).problem
        #expect(problem.type == "urn:carillon:too-many-devices")
        #expect(problem.status == .forbidden)
    }
}
