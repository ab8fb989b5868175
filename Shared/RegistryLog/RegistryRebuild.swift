package import Bus
import PushModel
import ServiceKit
package import Store
import Topics

/// Fills an empty registry from the whole log, up to the end of each partition when it is reached; then the projector
/// continues.
///
/// It may be interrupted and run again, and services may run meanwhile: they get `notReady` until it is done.
package struct RegistryRebuild: Sendable {
    /// Redis commands in flight; a rebuild does not share its client.
    package static let pipelineMaximum = 4_096

    package enum Note: Sendable {
        case progress(RebuildProgress)
        case unreadable(partition: Int32, offset: Int64, problem: String)
    }

    private let bus: any Bus
    private let maintenance: any RegistryMaintenance
    private let environment: WorkerEnvironment
    /// Changes applied in one batch: large enough for the store to pipeline, small enough for memory.
    private let batchMaximum: Int
    private let patience: StorePatience

    package init(
        bus: any Bus, maintenance: any RegistryMaintenance, environment: WorkerEnvironment, batchMaximum: Int = 8_192
    ) {
        self.bus = bus
        self.maintenance = maintenance
        self.environment = environment
        self.batchMaximum = batchMaximum
        patience = StorePatience(environment)
    }

    /// Calls `note` after each batch and for each unreadable record. `beforeReady` can repair data next to the registry
    /// while its users still wait.
    package func run(
        _ note: (Note) -> Void, beforeReady: (any RegistryRefill) async throws -> Void = { _ in }
    ) async throws -> RebuildProgress {
        let refill = try await maintenance.beginRebuild()
        let applying = ApplyingBatch(refill, patience: patience)
        let progress: RebuildProgress
        do {
            progress = try await read(into: applying, note)
            try await applying.end()
        } catch {
            await applying.abandon()
            throw error
        }
        try await beforeReady(refill)
        try await patience.perform { try await refill.finish() }
        return progress
    }

    private func read(into applying: ApplyingBatch, _ note: (Note) -> Void) async throws -> RebuildProgress {
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
                try await applying.apply(batch)
                batch.removeAll(keepingCapacity: true)
                note(.progress(progress))
            }
            return true
        }
        try await applying.apply(batch)
        return progress
    }
}

/// Applies one batch while the next is being read, in order: a batch starts when the previous one is done. Used by one
/// task at a time.
private final class ApplyingBatch {
    private let refill: any RegistryRefill
    private let patience: StorePatience
    private var current: Task<Void, any Error>?

    init(_ refill: any RegistryRefill, patience: StorePatience) {
        self.refill = refill
        self.patience = patience
    }

    /// Returns once the previous batch is applied.
    func apply(_ batch: [LoggedChange]) async throws {
        try await end()
        current = Task { [refill, patience] in
            try await patience.perform { try await refill.apply(batch) }
        }
    }

    func end() async throws {
        try await withTaskCancellationHandler {
            try await current?.value
        } onCancel: { [current] in
            current?.cancel()
        }
        current = nil
    }

    /// Nothing is applied after it returns.
    func abandon() async {
        current?.cancel()
        _ = await current?.result
        current = nil
    }
}
