import PushModel
import ServiceKit
import Store
import Topics

extension StateRecorder {
    /// Those of a device in their order.
    func note(_ transitions: [DeviceTransition]) async throws {
        let told = transitions.filter { hasWebhook($0.app) }
        let devices = Dictionary(grouping: told) { OutboxSubject(.device($0.device), of: $0.app) }
        try await concurrently(Array(devices)) { subject, transitions in
            for transition in transitions { try await note(transition, of: subject) }
        }
    }

    /// The head of a device is the class that was told first. It is right also if the process that sent the transition
    /// did not know of one that another was sending, or died before it stored its own.
    private func note(_ transition: DeviceTransition, of subject: OutboxSubject) async throws(StoreError) {
        let first = try await outbox.head(of: subject).flatMap { OutsideText.string($0) }
            .flatMap { DeviceClass(rawValue: $0) }
        // A repeat, or a moment that was reported while the device was removed.
        guard first != .ineligible, first != transition.reached else { return }
        let record = OutboxRecord(
            of: subject, head: Array(transition.reached.rawValue.utf8), end: transition.time + OutboxBounds.retention)
        let entry = TransitionEntry(transition, from: first ?? transition.previous)
        try await append([entry.state], of: record)
    }
}
