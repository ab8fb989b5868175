package import Bus
import PushModel
import ServiceKit
package import Store
import Topics

/// Fills an empty registry from the whole log, up to what lies there when the reading gets to the end of each partition;
/// the projector goes on from there.
///
/// It may be cut off at any moment and run again, and services may run meanwhile: they hear `notReady` until it is done.
package struct RegistryRebuild: Sendable {
    package enum Note: Sendable {
        case progress(RebuildProgress)
        case unreadable(partition: Int32, offset: Int64, problem: String)
    }

    private let bus: any Bus
    private let maintenance: any RegistryMaintenance
    private let environment: WorkerEnvironment
    /// Changes applied at once: large enough for the store to pipeline, small enough to be held.
    private let batchMaximum: Int
    private let patience: StorePatience

    package init(
        bus: any Bus, maintenance: any RegistryMaintenance, environment: WorkerEnvironment, batchMaximum: Int = 4_096
    ) {
        self.bus = bus
        self.maintenance = maintenance
        self.environment = environment
        self.batchMaximum = batchMaximum
        patience = StorePatience(environment)
    }

    /// Tells `note` after each batch, and of each record that cannot be read. What stands beside the registry can be
    /// mended in `beforeReady`, while everybody who asks the registry still waits.
    package func run(
        _ note: (Note) -> Void, beforeReady: () async throws -> Void = {}
    ) async throws -> RebuildProgress {
        let refill = try await maintenance.beginRebuild()
        var progress = RebuildProgress()
        var batch: [LoggedChange] = []
        try await bus.scan(Topics.registry.channel) { message in
            do {
                let change = try RegistryRecord(message).change
                progress.add(change)
                batch.append(LoggedChange(offset: message.offset, change))
            } catch {
                progress.addUnreadable()
                note(
                    .unreadable(
                        partition: message.partition.number, offset: message.offset, problem: "\(error)"))
            }
            if batch.count >= batchMaximum {
                try await patience.perform { try await refill.apply(batch) }
                batch.removeAll(keepingCapacity: true)
                note(.progress(progress))
            }
            return true
        }
        try await patience.perform { try await refill.apply(batch) }
        try await beforeReady()
        try await patience.perform { try await refill.finish() }
        return progress
    }
}
