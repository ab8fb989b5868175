import JSONKit
import PushModel
import TestSupport
import Testing
import Topics

/// A user is deleted while a broadcast is sent to its devices.
@Suite(.timeLimit(.minutes(10))) struct UserDeletionTests {
    private static let devices = 1_500
    private static let ofUser = 200
    /// Every seventh device is the user's, so that they are in many chunks.
    private static let stride = 7

    /// Goal: every device still has exactly one outcome, and none gets two pushes. Method: the providers answer slowly,
    /// so that the deletion finds the broadcast in every stage.
    @Test(arguments: Harness.BusKind.allCases)
    func everyDeviceOfABroadcastHasOneOutcome(_ bus: Harness.BusKind) async throws {
        let harness = try await Harness(bus)
        let devices = (0..<Self.devices).map { number in
            let isOfUser = number % Self.stride == 0 && number < Self.stride * Self.ofUser
            return TestDevice(number, kind: [.apns, .fcm, .huawei][number % 3], user: isOfUser ? "a/b" : nil)
        }
        let ids = try await harness.ingest.register(devices)
        try await harness.slowProviders()
        let task = try await harness.ingest.post(#"{"audience":{"topic":"news"},"message":{"body":"There"}}"#)
        try await harness.hasDelivered(20, of: task)
        let answer = try await harness.ingest.send("DELETE", "/apps/news/v1/users/a%2Fb")
        #expect(answer.status == 200, "\(answer.text)")
        let account = try JSON(answer.body)
        #expect(account["devices_removed"] == .integer(Int64(Self.ofUser)) && account["complete"] == .bool(true))
        for (device, id) in zip(devices, ids) where device.user != nil {
            #expect(try await harness.ingest.send("GET", "/apps/news/v1/devices/\(id)").status == 404)
        }

        let report = try #require(await harness.reports.report(of: task), "\(harness.lines)")
        let outcomes = DeliveryState.allCases.filter(\.isTerminal).reduce(0) { $0 + report[$1] }
        #expect(report.targeted == outcomes)
        // A device that was removed before its segment was read is not targeted.
        #expect((Self.devices - Self.ofUser...Self.devices).contains(report.targeted))
        #expect(report[.delivered] >= Self.devices - Self.ofUser)
        #expect(try await harness.delivered(task) == report[.delivered])
        for provider in Harness.providers {
            let counted = try await harness.simulator.statistics(provider)
            #expect(counted["most_for_one_device"] == .integer(1), "\(provider)")
        }
        try await harness.close()
    }
}
