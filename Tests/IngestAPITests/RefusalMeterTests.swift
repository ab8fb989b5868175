import Apps
import Bus
import PushModel
import ServiceKit
import TestSupport
import Testing
import Topics

@testable import IngestAPI

/// The counters of refused requests, by which an operator tells attacks and wrong settings from mistakes.
@Suite struct RefusalMeterTests {
    private func counts(_ fixture: IngestFixture) -> [RefusalMeters.Reason: Int] {
        let counts = RefusalMeters.Reason.allCases.map { reason in
            (reason, fixture.metrics.counter(.ingestRequestsRefused, labels: ["reason": reason.rawValue]).value)
        }
        return Dictionary(uniqueKeysWithValues: counts.filter { $0.1 != 0 })
    }

    @Test func eachRefusalIsCountedByItsReason() async throws {
        try await IngestFixture.run { fixture in
            let token = String(repeating: "ab", count: 32)
            let device = #"{"protocol":"apns","token":"\#(token)","user_token":"a.b.c"}"#
            let task = TaskCreationTests.small
            #expect(await fixture.json("POST", "/v1/tasks", json: task, headers: ["Authorization": "x"]).status == 401)
            #expect(await fixture.json("POST", "/v1/tasks", json: task, as: .page).status == 403)
            let foreign = ["Origin": "https://evil.example"]
            #expect(await fixture.json("PUT", "/v1/devices", json: device, as: .page, headers: foreign).status == 403)
            #expect(await fixture.json("PUT", "/v1/devices", json: device, as: .page).status == 400)
            #expect(await fixture.json("GET", "/v1/tasks", as: .poster).status == 403)
            fixture.percentUsed.change { $0 = 100 }
            #expect(await fixture.json("POST", "/v1/tasks", json: task, as: .publisher).status == 503)
            let expected: [RefusalMeters.Reason: Int] = [
                .unauthenticated: 1, .publicKey: 1, .foreignOrigin: 1, .userToken: 1, .forbidden: 1, .full: 1,
            ]
            #expect(counts(fixture) == expected)
            // A mistake of the caller.
            #expect(await fixture.json("POST", "/v1/tasks", json: "{", as: .publisher).status == 400)
            #expect(counts(fixture) == expected)
        }
    }

    @Test func limitsAreCountedByTheirKind() async throws {
        var limits = AppLimits()
        limits.devices = 1
        limits.requestsPerSecond = 30
        var settings = RequestLimits.Settings()
        settings.unknownDevicesPerSecondPerAddress = 1
        try await IngestFixture.run(limits: limits, settings: settings) { fixture in
            func register(_ digit: String) async -> Int? {
                let device = #"{"protocol":"apns","token":"\#(String(repeating: digit, count: 64))"}"#
                return await fixture.json("PUT", "/v1/devices", json: device).status
            }
            #expect(await register("a") == 201)
            #expect(await register("b") == 403)
            #expect(counts(fixture) == [.deviceLimit: 1])
            for number in 0..<11 {
                let guess = await fixture.json("GET", "/v1/devices/AAAAAAAAAAA")
                #expect(guess.status == (number < 10 ? 404 : 429))
            }
            #expect(counts(fixture) == [.deviceLimit: 1, .unknownDevices: 1])
            for number in 13...30 { #expect(await register("a") == (number < 30 ? 200 : 429)) }
            #expect(counts(fixture) == [.deviceLimit: 1, .unknownDevices: 1, .rate: 1])
        }
    }

    /// Receipts and the registry are logs with a group that must keep up; the brokers are asked for these too.
    @Test func theBacklogOfReceiptsIsAskedFor() {
        #expect(GroupLag.readers.contains(BusReader(Topics.receipts.channel, group: "reporter")))
    }
}
