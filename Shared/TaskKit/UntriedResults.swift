package import Bus
package import PushModel
package import ServiceKit
package import Store
import Topics

/// Reports devices that the ledger ended while no sender was sending to them, and notes that in the ledger.
///
/// A result needs the device's whole id and its provider, which the ledger does not keep: they come from the registry's
/// record. A device that is missing there is counted in the report and has no result.
package struct UntriedResults: Sendable {
    private let registry: any RegistryReader
    private let ledger: any Ledger
    private let producer: any BusProducer
    private let time: any TimeSource

    package init(
        registry: any RegistryReader, ledger: any Ledger, producer: any BusProducer, time: any TimeSource
    ) {
        self.registry = registry
        self.ledger = ledger
        self.producer = producer
        self.time = time
    }

    /// Returns how many have no result because the registry has lost them. Devices that a sender may have ended are
    /// reported from their details.
    @discardableResult
    package func report(
        _ ended: [DeliveryState: SegmentSet], details: [UInt16: OutcomeDetail] = [:], of task: TaskID,
        in segment: SegmentID
    ) async throws -> Int {
        var results: [DeviceResult] = []
        var lost = 0
        var reported = SegmentSet()
        for (state, offsets) in ended where !offsets.isEmpty {
            let found = try await registry.devices(at: offsets, in: segment)
            results += found.untriedResults(of: offsets, as: state, in: segment.number, details: details)
            lost += offsets.count - found.count
            reported.formUnion(offsets)
        }
        let messages = ResultBatch.messages(results, of: task, app: segment.app, at: time.now)
        if !messages.isEmpty { try await producer.send(messages) }
        // Without the note they are reported again, which is harmless.
        if !reported.isEmpty { try? await ledger.noteReported(reported, of: task, in: segment) }
        return lost
    }
}
