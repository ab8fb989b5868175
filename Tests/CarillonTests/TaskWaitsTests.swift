import Apps
import CommandKit
import JSONKit
import PushModel
import ServiceKit
import Testing

@testable import Carillon

/// What `carillon tasks show` says of a task that is not closed.
@Suite struct TaskWaitsTests {
    private func waits(_ text: String) throws -> [TaskWaits.Cause] {
        let status = try #require(ReportedTask(try JSON(text)))
        return TaskWaits(status, id: "t1", access: APIAccess(url: "http://127.0.0.1:9", key: Secret("k"))).causes
    }

    @Test func eachCauseIsNamedWithItsNextTimeAndACure() throws {
        let causes = try waits(
            """
            {"id": "t1", "state": "sending", "jobs": {"resolved": 5, "total": 5},
             "counts": {"targeted": 100, "delivered": 60, "failed": 1},
             "waiting": {"retry": 2, "quiet_hours": {"devices": 30, "next": "2026-02-01T06:00:00Z"},
                         "cap": {"devices": 1, "next": "2026-02-02T06:00:00Z"}}}
            """)
        #expect(
            causes.map(\.what) == [
                "1 device: cap, the first until 2026-02-02T06:00:00Z",
                "30 devices: quiet hours, the first until 2026-02-01T06:00:00Z",
                "2 devices: the provider could not take the push yet; it is retried",
                "6 devices: rendered or sent now",
            ])
        #expect(causes[1].cure.contains("--quiet-hours ignore"))
        #expect(causes[2].cure.contains("carillon tasks cancel t1"))
    }

    @Test func aTaskForLaterWaitsAsAWhole() throws {
        let causes = try waits(
            #"""
            {"id": "t1", "state": "scheduled", "send_at": "2026-02-01T06:00:00Z", "jobs": {"resolved": 0, "total": 0},
             "counts": {"targeted": 0}, "waiting": {"retry": 0}}
            """#)
        #expect(causes.map(\.what) == ["the whole task waits until 2026-02-01T06:00:00Z"])
    }

    @Test func partsThatAreNotSelectedYetAreCounted() throws {
        let causes = try waits(
            #"""
            {"id": "t1", "state": "accepted", "jobs": {"resolved": 3, "total": 8}, "counts": {"targeted": 10},
             "waiting": {"retry": 0}}
            """#)
        #expect(causes.map(\.what) == ["its devices are being selected: 3 of 8 parts are done"])
    }

    @Test func aClosedTaskWaitsForNothing() throws {
        #expect(
            try waits(
                #"{"id": "t1", "state": "closed", "jobs": {"resolved": 1, "total": 1}, "counts": {"targeted": 1}}"#
            ).isEmpty)
    }

    @Test func devicesWithoutAProviderAreCountedByPlatform() throws {
        var providers = ProviderCredentials()
        providers.mpns = MPNSCredentials()
        let counts = try JSON(
            #"{"devices": 9, "platforms": {"ios": 4, "android": 1, "web": 0, "windows": 4, "http": 0}}"#)
        let lines = ProviderGaps.lines(try AppID(name: "news"), providers: providers, counts: counts)
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("app news has 4 devices of ios and no providers.apns: ") == true)
        #expect(
            lines.last?.hasPrefix("app news has 1 device of android and no providers.fcm or providers.huawei: ") == true
        )
    }
}
