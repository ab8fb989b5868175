import Bus
import PushModel
import ServiceKit
import Store
import Synchronization
import TaskKit

/// Ends what nobody will try any more, and tells of each device that ended so.
final class UntriedDevices: Sendable {
    private struct Told: Hashable {
        let task: TaskID
        let ending: TaskWatch.Ending
    }

    private static let toldMaximum = 10_000

    private let ledger: any Ledger
    private let results: UntriedResults
    private let untold: Counter
    /// Tasks of which this process has told everything that ended before it looked.
    private let told = Mutex<Set<Told>>([])

    init(ledger: any Ledger, registry: any RegistryReader, producer: any BusProducer, environment: WorkerEnvironment) {
        self.ledger = ledger
        results = UntriedResults(registry: registry, producer: producer, time: environment.time)
        untold = environment.metrics.counter(.reporterDevicesUntold)
    }

    func end(_ ending: TaskWatch.Ending, _ task: TaskID, in segments: [SegmentID]) async throws {
        let key = Told(task: task, ending: ending)
        let isFirst = told.withLock { !$0.contains(key) }
        for segment in segments {
            var ended = try await endNow(ending, task, in: segment)
            if isFirst { ended = try await withEarlier(ended, task, in: segment) }
            untold.increment(by: try await results.tell(ended, of: task, in: segment))
        }
        told.withLock { told in
            if told.count >= UntriedDevices.toldMaximum { told = [] }
            told.insert(key)
        }
    }

    private func endNow(
        _ ending: TaskWatch.Ending, _ task: TaskID, in segment: SegmentID
    ) async throws -> [DeliveryState: SegmentSet] {
        switch ending {
        case .deadline: try await ledger.expire(task, in: segment)
        case .cancellation: [.cancelled: try await ledger.cancel(task, in: segment)]
        }
    }

    /// Whoever ended devices before may have died before it told of them. A repeat carries the same id.
    private func withEarlier(
        _ ended: [DeliveryState: SegmentSet], _ task: TaskID, in segment: SegmentID
    ) async throws -> [DeliveryState: SegmentSet] {
        guard let snapshot = try await ledger.states(of: task, in: segment) else { return ended }
        var all = ended
        for state in [DeliveryState.expired, .cancelled] {
            let offsets = snapshot.states.filter { $0.value == state }.keys
            if !offsets.isEmpty { all[state, default: SegmentSet()].formUnion(SegmentSet(offsets)) }
        }
        return all
    }
}
