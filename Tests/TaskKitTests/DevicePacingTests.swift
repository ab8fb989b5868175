import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import TestSupport
import Testing

/// Devices that wait for a slot of a rate.
@Suite struct DevicePacingTests {
    private let time = ManualTimeSource()
    private let pacing: MemoryPushPacing
    private let task = TaskID(high: 1, low: 2)
    private let app: AppID
    private let segment = SegmentNumber(rawValue: 3)

    init() throws {
        pacing = MemoryPushPacing(time: time)
        app = try AppID("news")
    }

    private func devices(_ count: Int) throws -> PackedDevices {
        var devices = PackedDevices()
        for offset in 0..<count {
            devices.append(
                offset: UInt16(offset), record: Device(tag: 1, token: try Samples.token(offset), created: 1).packed)
        }
        return devices
    }

    private func pace(_ count: Int, as name: String, rules: DeliveryRules) async throws -> JudgedDevices {
        let judged = JudgedDevices(
            try devices(count), among: SegmentSet((0..<count).map { UInt16($0) }), in: segment, judge: nil,
            now: time.now)
        let step = DevicePacing.Step(name, of: task, in: app, now: time.now)
        return try await DevicePacing(pacing).pace(judged, rules: rules, in: step)
    }

    @Test func withoutARateNothingWaits() async throws {
        let judged = try await pace(100, as: "j0", rules: DeliveryRules(accepted: time.now))
        #expect(judged.sendable.count == 100 && judged.deferrals.isEmpty)
    }

    /// Goal: devices are released shortly before their slots, in groups of a second, and each second gets at most what
    /// the rate allows.
    @Test func devicesAreReleasedShortlyBeforeTheirSlots() async throws {
        var rules = DeliveryRules(accepted: time.now)
        rules.rate = 100
        let first = try await pace(500, as: "j0", rules: rules)
        let second = try await pace(500, as: "j1", rules: rules)
        // The slots of the first two seconds, and that of the moment at which these end.
        #expect(first.sendable.count == 196 && first.sendable.offsets.elementsEqual((0..<196).map { UInt16($0) }))
        #expect(second.sendable.isEmpty)
        var counts: [Timestamp: Int] = [:]
        for deferral in first.deferrals + second.deferrals {
            #expect(deferral.cause == .rate && deferral.due.milliseconds % 1_000 == 0 && deferral.due > time.now)
            counts[deferral.due, default: 0] += deferral.offsets.count
        }
        #expect(counts.values.reduce(0, +) == 804)
        #expect(counts.values.allSatisfy { $0 <= 98 } && counts.count == 9)
    }

    /// The slower of the two rates decides.
    @Test func theRateOfTheAppIsKeptToo() async throws {
        var rules = DeliveryRules(accepted: time.now)
        rules.rate = 1_000
        rules.appRate = 50
        let judged = try await pace(200, as: "j0", rules: rules)
        #expect(judged.sendable.count == 98)
        #expect(judged.deferrals.allSatisfy { $0.offsets.count <= 49 })
    }

    @Test func whatWouldWaitForTooLongIsSuppressed() async throws {
        var rules = DeliveryRules(accepted: time.now)
        rules.appRate = 1
        _ = pacing.reserve(8 * 86_400, as: "other", of: TaskID(high: 9, low: 9), at: PushRate(1, of: .app(app)))
        let judged = try await pace(3, as: "j0", rules: rules)
        #expect(judged.sendable.isEmpty && judged.deferrals.isEmpty)
        #expect(judged.suppressed.map(\.reason) == ["rate"] && judged.suppressed[0].devices.count == 3)
    }

    /// The deadline of a paced task is that of a device that waits as long as possible.
    @Test func theDeadlineAllowsForTheWait() {
        var rules = DeliveryRules(accepted: time.now)
        #expect(rules.latestBeginning(of: time.now) == time.now)
        rules.rate = 5
        #expect(rules.latestBeginning(of: time.now) == time.now + PacingBounds.horizon)
    }
}
