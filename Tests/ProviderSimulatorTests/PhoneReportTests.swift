import HTTPServer
import JSONKit
import ServiceKit
import TestSupport
import Testing

/// What phones report to the backend of their app.
@Suite struct PhoneReportTests {
    @Test func aPhoneReportsItsTokens() async throws {
        let backend = try PhoneBackend()
        let fixture = try await PhoneFixture()
        let phone = try #require(try await fixture.add(members(backend, count: 1)).first)
        let registration = try #require(await backend.reports(1).first)
        let start = try #require(phone["push_to_start_token"]?.text)
        #expect(registration.line == "PUT /v1/devices" && registration.authorization == "Bearer secret")
        #expect(registration.body?["protocol"]?.text == "apns")
        #expect(registration.body?["token"]?.text == phone["token"]?.text)
        #expect(registration.body?["system_version"]?.text == "18.0")
        #expect(registration.body?["push_to_start"]?["Match"]?.text == start)
        #expect(try await fixture.send([LiveActivityPayload.start(at: 5, activity: "m/1")], to: start) == ["200"])
        let token = try #require(await backend.reports(2).last)
        #expect(token.line == "PUT /v1/devices/device-1/activities/m%2F1")
        #expect(token.body?["token"]?.text == (try await fixture.onlyPhone()["activity_token"]?.text))
        #expect(try await fixture.change("/phones/rotate", "\"which\":\"activity\"") == 1)
        let renewed = try #require(await backend.reports(3).last)
        #expect(renewed.line == token.line && renewed.body != token.body)
        #expect(try await fixture.change("/phones/dismiss", "") == 1)
        let removal = try #require(await backend.reports(4).last)
        #expect(removal.line == "DELETE /v1/devices/device-1/activities/m%2F1")
        let deviceTokens = await backend.reports(4).map(\.deviceToken)
        #expect(deviceTokens == Array(repeating: phone["token"]?.text, count: 4))
        try await waitUntil { try await fixture.onlyPhone()["reports_made"] == .integer(4) }
        #expect(try await fixture.onlyPhone()["device"]?.text == "device-1")
        await backend.stop()
        await fixture.close()
    }

    @Test func aNewPushToStartTokenIsRegistered() async throws {
        let backend = try PhoneBackend()
        let fixture = try await PhoneFixture()
        _ = try await fixture.add(members(backend, count: 1))
        let first = try #require(await backend.reports(1).first)
        try await waitUntil { try await fixture.onlyPhone()["reports_made"] == .integer(1) }
        #expect(try await fixture.change("/phones/rotate", "\"which\":\"push_to_start\"") == 1)
        let second = try #require(await backend.reports(2).last)
        #expect(second.line == first.line && second.body?["token"] == first.body?["token"])
        #expect(second.body?["push_to_start"] != first.body?["push_to_start"])
        await backend.stop()
        await fixture.close()
    }

    @Test func manyPhonesReportTheActivityTheyRun() async throws {
        let backend = try PhoneBackend()
        let fixture = try await PhoneFixture()
        _ = try await fixture.add(members(backend, count: 200) + ",\"activity\":\"m\"")
        let reports = await backend.reports(400)
        #expect(reports.count == 400)
        let reported = Set(reports.compactMap { $0.line.hasPrefix("PUT /v1/devices/") ? $0.body?["token"]?.text : nil })
        let shown = try await fixture.shown("?activity=m&limit=1000")
        #expect(reported.count == 200 && reported == Set(shown.compactMap { $0["activity_token"]?.text }))
        try await waitUntil { try await fixture.summary()["reports_made"] == .integer(400) }
        #expect(try await fixture.summary()["reports_failed"] == .integer(0))
        await backend.stop()
        await fixture.close()
    }

    @Test func aReportIsRepeated() async throws {
        let backend = try PhoneBackend([503, 429])
        let fixture = try await PhoneFixture()
        _ = try await fixture.add(members(backend, count: 1))
        #expect(await backend.reports(3).map(\.line) == Array(repeating: "PUT /v1/devices", count: 3))
        try await waitUntil { try await fixture.summary()["reports_made"] == .integer(1) }
        await backend.stop()
        await fixture.close()
    }

    /// Without its registration a phone cannot report its activity; with the next start it registers itself again.
    @Test func aRefusedReportIsCounted() async throws {
        let backend = try PhoneBackend([403])
        let fixture = try await PhoneFixture()
        let phone = try #require(try await fixture.add(members(backend, count: 1) + ",\"activity\":\"m\"").first)
        try await waitUntil { try await fixture.summary()["reports_failed"] == .integer(1) }
        #expect(try await fixture.summary()["reports_failed_by_reason"] == (try JSON("{\"PUT device: 403\":1}")))
        #expect(try await fixture.onlyPhone()["reports_failed"] == .integer(1))
        let start = try #require(phone["push_to_start_token"]?.text)
        #expect(try await fixture.send([LiveActivityPayload.start(at: 5, activity: "m")], to: start) == ["200"])
        let lines = await backend.reports(3).map(\.line)
        #expect(lines == ["PUT /v1/devices", "PUT /v1/devices", "PUT /v1/devices/device-1/activities/m"])
        await backend.stop()
        await fixture.close()
    }

    private func members(_ backend: PhoneBackend, count: Int) -> String {
        "\"count\":\(count),\"attributes_type\":\"Match\",\"report\":{\"url\":\"\(backend.url)\",\"key\":\"secret\"}"
    }
}
