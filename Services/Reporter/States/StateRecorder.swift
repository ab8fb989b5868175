import PushModel
import ServiceKit
import Store
import TaskModel
import Topics

/// Appends states of messages and transitions of devices to the outbox, for apps with a webhook. Called before a message
/// of the bus is acknowledged: a repeat appends what is missing.
///
/// Every state is appended behind those that must have come before it, so that the webhook gets them in order whichever
/// topic is behind; the outbox drops those that it had.
struct StateRecorder: Sendable {
    private static let messagesAtOnce = 16

    let messages: TrackedMessages
    let outbox: any StateOutbox
    let registry: any Registry
    let hasWebhook: @Sendable (AppID) -> Bool
    let wakeup: StateWakeup
    let meters: StateMeters

    func note(_ acceptances: [MessageAcceptance]) async throws {
        try await concurrently(acceptances) { try await append([], of: $0.task, in: $0.app) }
    }

    func note(_ batches: [ResultBatch]) async throws {
        try await concurrently(batches) { batch in
            guard hasWebhook(batch.app), try await messages.message(batch.task, of: batch.app) != nil else { return }
            var entries: [StatusEntry] = []
            for result in batch.results {
                guard let status = StatusEntry.Status(result.state) else { continue }
                entries.append(
                    StatusEntry(status, of: try await recipient(result.device, in: batch.app), at: batch.time))
            }
            try await append(entries, of: batch.task, in: batch.app)
        }
    }

    /// What was opened was delivered, also if the provider's answer was lost.
    func note(_ batches: [ReceiptBatch]) async throws {
        try await concurrently(batches) { batch in
            let receipts = batch.receipts.filter { $0.kind == .delivered || $0.kind == .opened }
            guard !receipts.isEmpty, hasWebhook(batch.app),
                try await messages.message(batch.task, of: batch.app) != nil
            else { return }
            var entries: [StatusEntry] = []
            for receipt in receipts {
                let recipient = try await recipient(receipt.device, in: batch.app)
                entries.append(StatusEntry(.delivered, of: recipient, at: receipt.time))
                if receipt.kind == .opened { entries.append(StatusEntry(.opened, of: recipient, at: receipt.time)) }
            }
            try await append(entries, of: batch.task, in: batch.app)
        }
    }

    /// A message that had no device has no results.
    func noteEnd(of report: TaskReport) async throws {
        guard report.targeted == 0 else { return }
        let status = report.isCancelled ? StatusEntry.Status.cancelled : .failed
        try await append([StatusEntry(status, at: report.closed)], of: report.task, in: report.app)
    }

    /// A message that was never planned.
    func noteAbandoned(_ task: PushTask) async throws {
        try await append([StatusEntry(.failed, at: task.deadline)], of: task.id, in: task.app)
    }

    private func append(_ entries: [StatusEntry], of task: TaskID, in app: AppID) async throws(StoreError) {
        guard hasWebhook(app), let found = try await messages.message(task, of: app) else { return }
        let all = [StatusEntry(.pending, at: found.message.created)] + entries
        try await append(all.map { $0.state(of: found.message) }, of: found.record)
    }

    func append(_ states: [OutboxState], of record: OutboxRecord) async throws(StoreError) {
        let count = try await outbox.append(states, of: record)
        guard count > 0 else { return }
        meters.queued(count)
        wakeup.wake(for: record.subject.queue.shard)
    }

    private func recipient(_ device: DeviceID, in app: AppID) async throws(StoreError) -> StatusEntry.Recipient {
        let known = try await registry.device(device, in: app)
        return StatusEntry.Recipient(device: device, token: known?.device.token.text)
    }

    func concurrently<Element: Sendable>(
        _ elements: [Element], _ body: @escaping @Sendable (Element) async throws -> Void
    ) async throws {
        _ = try await elements.concurrentMap(atOnce: StateRecorder.messagesAtOnce, body)
    }
}
