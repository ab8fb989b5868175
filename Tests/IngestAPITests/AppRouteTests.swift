import JSONKit
import MemoryStore
import PushModel
import Store
import TestSupport
import Testing

@testable import Apps
@testable import IngestAPI

/// What an app's keys can read of its file.
@Suite struct AppRouteTests {
    @Test func anAppIsShownWithoutSecrets() async throws {
        var limits = AppLimits()
        limits.requestsPerSecond = 1_000
        limits.pushesPerDevice = PushCap(count: 5, period: .seconds(86_400))
        try await IngestFixture.run(limits: limits, hasWebhook: true) { fixture in
            let app = await fixture.json("GET", "/v1/app", as: .owner)
            #expect(app.status == 200)
            #expect(app.json["app"] == .string("news"))
            #expect(app.json["identifiers"]?["appmetrica"] == .array([.string("7"), .string("70")]))
            #expect(app.json["webhook"] == .string("news.example") && app.json["report"] == .null)
            #expect(app.json["default_language"] == .string("fr") && app.json["quiet_hours"] == .null)
            #expect(app.json["default_time_to_live"] == .string("1h"))
            #expect(app.json["limits"]?["devices"] == .null)
            #expect(app.json["limits"]?["requests_per_second"] == .integer(1_000))
            #expect(app.json["limits"]?["pushes_per_device"]?["per"] == .string("1d"))
            let providers = app.json["providers"]?.elements ?? []
            #expect(providers.map { $0["provider"] } == [.string("apns"), .string("fcm")])
            #expect(providers.first?["platform"] == .string("ios"))
            #expect(providers.first?["settings"]?["key_id"] == .string("ABCDE12345"))
            #expect(providers.first?["settings"]?["topic"] == .string("com.example.news"))
            for secret in ["hash", "_file", "\"key\"", "states"] { #expect(!app.text.contains(secret), "\(secret)") }
        }
    }

    @Test func keysAreForAdministrators() async throws {
        try await IngestFixture.run { fixture in
            let keys = await fixture.json("GET", "/v1/app", as: .owner).json["keys"]?.elements ?? []
            let own = keys.first { $0["id"] == .string(fixture.keyID(.owner)) }
            #expect(keys.count == 8)
            #expect(own?["scopes"]?.elements?.count == Scope.allCases.count)
            #expect(own?["public"] == .bool(false) && own?["expires"] == .null)
            #expect(own?["created"] == .string("1970-01-01T00:00:00.000Z"))
            #expect(await fixture.json("GET", "/v1/app", as: .publisher).json["keys"] == .null)
            #expect(await fixture.json("GET", "/v1/app", as: .poster).status == 403)
        }
    }

    /// The outage of another app's provider is not this app's.
    @Test func anOutageIsShown() async throws {
        try await IngestFixture.run { fixture in
            let pauses = OutagePauses(first: .seconds(15), longest: .seconds(60))
            for route in [
                ProviderRoute(app: fixture.news, provider: .apns),
                ProviderRoute(app: try AppID("shop"), provider: .fcm),
            ] { _ = fixture.outages.extend(route, by: pauses, jitter: 0.5, isProbe: false) }
            let providers = await fixture.json("GET", "/v1/app", as: .owner).json["providers"]?.elements ?? []
            #expect(providers.map { $0["state"] } == [.string("paused"), .string("ok")])
            guard case .number(let seconds) = providers.first?["seconds"] else {
                Issue.record("no seconds in \(providers)")
                return
            }
            #expect((1...60).contains(seconds))
            #expect(providers.last?["seconds"] == .null)
        }
    }
}
