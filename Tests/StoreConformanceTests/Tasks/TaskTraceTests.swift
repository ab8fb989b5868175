import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

/// One suite for every store: the guarantees of traces.
@Suite(.timeLimit(.minutes(5))) struct TaskTraceTests {
    private let task = Samples.freshTask()

    @Test(arguments: StoreKind.allCases)
    func aTraceIsReadAsItWasKept(_ kind: StoreKind) async throws {
        try await kind.withTraces { (traces, time) async throws in
            for (number, devices) in [0, 1, 40, 1_000].enumerated() {
                let trace = try TaskTraceTests.trace(devices, closed: time.now)
                let task = TaskID(high: 9, low: UInt64(number))
                #expect(try await traces.trace(of: task, created: nil) == nil)
                try await traces.keep(trace, of: task, for: TaskTraceBounds.retention)
                #expect(try await traces.trace(of: task, created: nil) == trace)
                #expect(try await traces.trace(of: task, created: trace.created) == trace)
            }
            #expect(try await traces.trace(of: task, created: nil) == nil)
        }
    }

    /// An interrupted reporter repeats the write; the outcomes of two tasks are never mixed up.
    @Test(arguments: StoreKind.allCases)
    func aTraceThatIsKeptAgainReplacesItself(_ kind: StoreKind) async throws {
        try await kind.withTraces { (traces, time) async throws in
            // Both tasks may share a key in the store.
            let neighbour = TaskID(high: 2, low: task.low)
            let (first, second) = (
                try TaskTraceTests.trace(1, closed: time.now), try TaskTraceTests.trace(2, closed: time.now)
            )
            try await traces.keep(second, of: neighbour, for: TaskTraceBounds.retention)
            for _ in 0..<2 { try await traces.keep(first, of: task, for: TaskTraceBounds.retention) }
            #expect(try await traces.trace(of: task, created: nil) == first)
            #expect(try await traces.trace(of: neighbour, created: nil) == second)
        }
    }

    /// Method: tasks closed long ago, because a store may expire keys by a clock that the test does not control.
    @Test(arguments: StoreKind.allCases, [1, 1_000])
    func aTraceGoesAfterItsTime(_ kind: StoreKind, devices: Int) async throws {
        try await kind.withTraces { (traces, time) async throws in
            let day = Duration.seconds(86_400)
            for retention in [TaskTraceBounds.retention, TaskTraceBounds.retentionMaximum] {
                let recent = try TaskTraceTests.trace(devices, closed: time.now + (day - retention))
                try await traces.keep(recent, of: task, for: retention)
                #expect(try await traces.trace(of: task, created: nil) == recent)
                let old = try TaskTraceTests.trace(devices, closed: time.now + (.zero - day - day - retention))
                let other = Samples.freshTask()
                try await traces.keep(old, of: other, for: retention)
                #expect(try await traces.trace(of: other, created: old.created) == nil)
            }
        }
    }

    private static func trace(_ devices: Int, closed: Timestamp) throws -> TaskTrace {
        let plan = TaskPlan(
            app: try AppID("news"), jobs: 1, isFast: true, deadline: closed + .seconds(3_600), policy: .atMostOnce)
        let ends = (0..<devices).map { number in
            let detail = OutcomeDetail(
                state: .failed, attempt: 3, time: closed + .milliseconds(-number), status: 503, reason: "Busy")
            return TaskOutcomes.Device(
                index: DeviceIndex(rawValue: UInt32(number * 5_000)), state: number % 2 == 0 ? .failed : .expired,
                detail: number % 2 == 0 ? detail : nil)
        }
        return TaskTrace(
            TaskOutcomes(plan: plan, devices: ends), dialect: "native", created: closed + .seconds(-1), closed: closed,
            isCancelled: true)
    }
}
