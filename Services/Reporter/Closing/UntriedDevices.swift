import Bus
import PushModel
import ServiceKit
import Store
import Synchronization
import TaskKit

/// Ends devices that no sender will try any more, and reports each of them.
final class UntriedDevices: Sendable {
    private struct ReportedEnding: Hashable {
        let task: TaskID
        let ending: TaskWatch.Ending
    }

    private static let reportedMaximum = 10_000
    private static let ends: Set<DeliveryState> = [.expired, .cancelled, .unknown]

    private let ledger: any Ledger
    private let results: UntriedResults
    private let unreported: Counter
    /// Tasks for which this process has reported everything that ended before its check.
    private let reported = Mutex(RecentlyUsed<ReportedEnding, Void>(costMaximum: UntriedDevices.reportedMaximum))

    init(ledger: any Ledger, registry: any RegistryReader, producer: any BusProducer, environment: WorkerEnvironment) {
        self.ledger = ledger
        results = UntriedResults(
            registry: registry, ledger: ledger, producer: producer, time: environment.time)
        unreported = environment.metrics.counter(.reporterDevicesUnreported)
    }

    /// `untried` is the state at the deadline of devices that were never claimed.
    func end(
        _ ending: TaskWatch.Ending, task: TaskID, in segments: [SegmentID], untried: DeliveryState
    ) async throws {
        let key = ReportedEnding(task: task, ending: ending)
        let isFirst = reported.withLock { $0.value(for: key) == nil }
        for segment in segments {
            let ended = try await endNow(ending, task: task, in: segment, untried: untried)
            let lost =
                isFirst
                ? try await reportEnded(of: task, in: segment)
                : try await results.report(ended, of: task, in: segment)
            unreported.increment(by: lost)
        }
        reported.withLock { $0.set((), for: key) }
    }

    private func endNow(
        _ ending: TaskWatch.Ending, task: TaskID, in segment: SegmentID, untried: DeliveryState
    ) async throws -> [DeliveryState: SegmentSet] {
        switch ending {
        case .deadline: try await ledger.expire(task, in: segment, untried: untried)
        case .cancellation: [.cancelled: try await ledger.cancel(task, in: segment)]
        }
    }

    /// Reports devices that ended now or before: the process that ended those may have crashed before reporting. A
    /// repeat has the same id. Devices in other terminal states have a message on the bus until a sender reports them.
    private func reportEnded(of task: TaskID, in segment: SegmentID) async throws -> Int {
        var ended: [DeliveryState: SegmentSet] = [:]
        var details: [UInt16: OutcomeDetail] = [:]
        for device in try await ledger.unreported(of: task, in: segment)
        where UntriedDevices.ends.contains(device.state) {
            ended[device.state, default: SegmentSet()].insert(device.index.offset)
            details[device.index.offset] = device.detail
        }
        return try await results.report(ended, details: details, of: task, in: segment)
    }
}
