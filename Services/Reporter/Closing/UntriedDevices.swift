import Bus
import PushModel
import ServiceKit
import Store
import Synchronization
import Topics

/// Ends what nobody will try any more, and tells of each device that ended so.
///
/// A result needs the whole id of its device and its provider, which the ledger does not keep: the registry's record has
/// them. Of a device that is gone from there the ends are counted in the report, and there is no result.
final class UntriedDevices: Sendable {
    private struct Told: Hashable {
        let task: TaskID
        let ending: TaskWatch.Ending
    }

    private static let toldMaximum = 10_000

    private let ledger: any Ledger
    private let registry: any RegistryReader
    private let producer: any BusProducer
    private let time: any TimeSource
    private let untold: Counter
    /// Tasks of which this process has told everything that ended before it looked.
    private let told = Mutex<Set<Told>>([])

    init(ledger: any Ledger, registry: any RegistryReader, producer: any BusProducer, environment: WorkerEnvironment) {
        self.ledger = ledger
        self.registry = registry
        self.producer = producer
        time = environment.time
        untold = environment.metrics.counter(.reporterDevicesUntold)
    }

    func end(_ ending: TaskWatch.Ending, _ task: TaskID, in segments: [SegmentID]) async throws {
        let key = Told(task: task, ending: ending)
        let isFirst = told.withLock { !$0.contains(key) }
        for segment in segments {
            var ended = try await endNow(ending, task, in: segment)
            if isFirst { ended = try await withEarlier(ended, task, in: segment) }
            try await tell(ended, task, in: segment)
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

    private func tell(_ ended: [DeliveryState: SegmentSet], _ task: TaskID, in segment: SegmentID) async throws {
        var results: [DeviceResult] = []
        for (state, offsets) in ended where !offsets.isEmpty {
            let found = try await registry.devices(at: offsets, in: segment)
            for (position, offset) in found.offsets.enumerated() {
                guard let device = found.device(at: position) else { continue }
                let index = DeviceIndex(segment: segment.number, offset: offset)
                results.append(
                    DeviceResult(
                        device: DeviceID(index: index, tag: device.tag), provider: device.token.kind, state: state,
                        attempt: 0, status: 0, reason: state.untriedReason))
            }
            untold.increment(by: offsets.count - found.count)
        }
        let batches = ResultBatch.batches(results, of: task, app: segment.app, at: time.now)
        guard !batches.isEmpty else { return }
        try await producer.send(batches.map { Topics.results.message($0, key: $0.key) })
    }
}

extension DeliveryState {
    fileprivate var untriedReason: String {
        switch self {
        case .cancelled: "cancelled"
        // Of a device that a sender held when it died nobody knows.
        case .unknown: "lost"
        default: "deadline"
        }
    }
}
