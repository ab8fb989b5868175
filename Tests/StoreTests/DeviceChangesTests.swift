import PushModel
import Store
import TestSupport
import Testing

@Suite struct DeviceChangesTests {
    private func device() throws -> Device {
        var device = Device(tag: 1, token: try Samples.token(1), created: 10)
        device.environment = .sandbox
        device.contentAvailable = true
        device.language = "de"
        device.version = "1"
        device.appVersion = "1.1"
        device.category = "phone"
        device.timeZone = "Europe/Zurich"
        device.aliases = [.externalUser: "anna", .hardware: "h"]
        return device
    }

    @Test func nothingSaidChangesNothingButTheTime() throws {
        var expected = try device()
        expected.updated = 20
        #expect(try device().applying(DeviceChanges(), at: 20) == expected)
    }

    @Test func whatIsSaidReplacesWhatWas() throws {
        var expected = Device(tag: 1, token: try device().token, created: 10)
        expected.updated = 20
        expected.environment = .production
        expected.contentAvailable = false
        expected.language = "fr"
        expected.version = "2"
        expected.appVersion = "2.1"
        expected.category = "tablet"
        expected.timeZone = "UTC"
        expected.aliases = [.externalUser: "bert", .hardware: "h", .googleAdvertising: "g"]
        let changes = DeviceChanges(
            environment: .production, contentAvailable: false, language: "fr", version: "2", appVersion: "2.1",
            category: "tablet",
            timeZone: "UTC", badge: 5, aliases: [.externalUser: "bert", .googleAdvertising: "g"])
        #expect(try device().applying(changes, at: 20) == expected)
    }

    /// A provider's refusal of the token remains valid, and no registration takes the moment away.
    @Test func aMomentLeavesTheTime() throws {
        var expected = try device()
        expected.reportsMoments = true
        let changed = try device().applying(.firstMoment, at: 20)
        #expect(changed == expected && changed.deviceClass == .eligible && changed.updated == 10)
        expected.updated = 30
        #expect(changed.applying(DeviceChanges(), at: 30) == expected)
        #expect(try device().deviceClass == .unknown)
    }

    @Test func anEmptyAliasIsTakenAway() throws {
        let changed = try device().applying(
            DeviceChanges(aliases: [.externalUser: "", .appMetricaDevice: ""]), at: 20)
        #expect(changed.aliases == [.hardware: "h"])
    }
}
