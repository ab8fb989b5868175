import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

/// The encoding of traces.
@Suite struct TaskTraceTests {
    private static let closed = Timestamp(milliseconds: 1_767_225_600_000)

    private func trace(
        _ devices: [TaskOutcomes.Device], isFast: Bool = true, policy: TaskPlan.AmbiguityPolicy = .atLeastOnce,
        isCancelled: Bool = false, created: Duration = .milliseconds(-120), deadline: Duration = .seconds(86_400),
        unmatched: Int = 0, report: [UInt8] = []
    ) throws -> TaskTrace {
        let plan = TaskPlan(
            app: try AppID("news"), jobs: 1, isFast: isFast, deadline: Self.closed + deadline, policy: policy)
        return TaskTrace(
            TaskOutcomes(plan: plan, devices: devices), dialect: "native", created: Self.closed + created,
            closed: Self.closed, isCancelled: isCancelled, unmatched: unmatched, report: report)
    }

    private func device(
        _ place: UInt32, state: DeliveryState = .delivered, attempt: UInt8 = 0, status: UInt16 = 200,
        reason: String = "", age: Int = 10
    ) -> TaskOutcomes.Device {
        let detail = OutcomeDetail(
            state: state, attempt: attempt, time: Self.closed + .milliseconds(-age), status: status, reason: reason)
        return TaskOutcomes.Device(index: DeviceIndex(rawValue: place), state: state, detail: detail)
    }

    @Test func everythingComesBack() throws {
        let ends = DeliveryState.allCases.filter(\.isTerminal).enumerated().map { number, state in
            let reason = ["", "Unregistered", "Ünknown", "Unregistered"][number % 4]
            return device(
                UInt32(number) * 500_000_000, state: state, attempt: UInt8(number), status: .max, reason: reason,
                age: number * 100_000 - 5)
        }
        let unreported = TaskOutcomes.Device(index: DeviceIndex(rawValue: .max), state: .cancelled, detail: nil)
        for (flag, unmatched) in [(false, 0), (true, 0), (false, 1_000), (true, 1)] {
            let whole = try trace(
                ends + [unreported], isFast: flag, policy: flag ? .atMostOnce : .atLeastOnce, isCancelled: !flag,
                created: .milliseconds(flag ? 5 : -5), deadline: .seconds(flag ? -28 * 86_400 : 28 * 86_400),
                unmatched: unmatched, report: flag ? [] : Array(0...200))
            #expect(TaskTrace(packed: whole.packed) == whole && whole.progress.unmatched == unmatched)
            #expect(whole.packed[0] == (unmatched > 0 ? 3 : flag ? 1 : 2))
        }
    }

    @Test func theCountsAreThoseOfItsDevices() throws {
        let progress = try trace([device(1), device(2), device(9, state: .expired)]).progress
        #expect(progress.counts.targeted == 3 && progress.counts[.delivered] == 2 && progress.counts[.expired] == 1)
        #expect(progress.closed == Self.closed && progress.jobsResolved == progress.plan.jobs)
    }

    /// The traces of a thousand single pushes a second for a week must fit into memory.
    @Test func aSinglePushIsSmall() throws {
        #expect(try trace([device(.max)]).packed.count <= 48)
        let many = (0..<1_000).map { device($0 * 4_000, state: .invalidRemoved, status: 410, reason: "Unregistered") }
        #expect(try trace(many).packed.count <= 9_100)
    }

    /// No bytes trap, even if another program wrote them to the store.
    @Test func whatIsBrokenIsNoTrace() throws {
        let whole = try trace([
            device(1, state: .failed, reason: "Busy"), device(70_000, state: .invalid, reason: "Busy"),
        ]).packed
        #expect(TaskTrace(packed: [4] + whole.dropFirst()) == nil)
        #expect(whole[0] == 1, "earlier versions read a trace without the rest of the report")
        #expect(TaskTrace(packed: []) == nil)
        for count in 1..<20 { #expect(TaskTrace(packed: Array(whole.prefix(count))) == nil) }
        let random = SeededRandomSource(seed: 7)
        for _ in 0..<20_000 {
            var bytes = whole
            bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
            if let read = TaskTrace(packed: Array(bytes.prefix(Int(random.next() % UInt64(bytes.count + 1))))) {
                #expect(read.outcomes.devices.count <= bytes.count)
            }
        }
    }
}
