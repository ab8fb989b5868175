package import Bus
package import PushModel
package import ServiceKit
package import Store
import Topics

/// Tells of devices that the ledger ended while nobody was sending to them.
///
/// A result needs the whole id of its device and its provider, which the ledger does not keep: the registry's record has
/// them. Of a device that is gone from there the ends are counted in the report, and there is no result.
package struct UntriedResults: Sendable {
    private let registry: any RegistryReader
    private let producer: any BusProducer
    private let time: any TimeSource

    package init(registry: any RegistryReader, producer: any BusProducer, time: any TimeSource) {
        self.registry = registry
        self.producer = producer
        self.time = time
    }

    /// How many have no result, as the registry has lost them.
    @discardableResult
    package func tell(
        _ ended: [DeliveryState: SegmentSet], of task: TaskID, in segment: SegmentID
    ) async throws -> Int {
        var results: [DeviceResult] = []
        var lost = 0
        for (state, offsets) in ended where !offsets.isEmpty {
            let found = try await registry.devices(at: offsets, in: segment)
            results += found.untriedResults(of: offsets, as: state, in: segment.number)
            lost += offsets.count - found.count
        }
        let messages = ResultBatch.messages(results, of: task, app: segment.app, at: time.now)
        if !messages.isEmpty { try await producer.send(messages) }
        return lost
    }
}
