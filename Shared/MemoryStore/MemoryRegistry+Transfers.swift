package import PushModel
import ServiceKit
package import Store

extension MemoryRegistry: Transfers {
    package func reserve(_ transfer: Transfer, in app: AppID) async throws(StoreError) -> Transfer {
        try transfer.checkBounds()
        let now = time.now
        let first = TransferRecord(transfer, isFirst: true)
        let record = try await perform(in: app) { state throws(StoreError) in
            let verdict = try state.transfers.reserve(first, at: now)
            guard !verdict.isStored else { return Decision(answer: verdict.record) }
            let forgotten = state.transfers.forgotten(at: now).map { RegistryChange.Content.transfer($0, nil) }
            let changes = forgotten + [.transfer(verdict.record.transfer.id, verdict.record)]
            return Decision(
                answer: verdict.record,
                changes: changes.map { RegistryChange(app: app, index: RegistryChange.ofApp, $0) })
        }
        guard record.isFirst, let stored = try read(app, body: { $0.transfers[record.transfer.id] }), !stored.isFirst
        else { return record.transfer }
        try await save(stored, in: app)
        return stored.transfer
    }

    package func update(_ transfer: Transfer, in app: AppID) async throws(StoreError) {
        try transfer.checkBounds()
        try await save(TransferRecord(transfer, isFirst: false), in: app)
    }

    package func transfer(_ id: UInt64, in app: AppID) throws(StoreError) -> Transfer? {
        remembered(try read(app) { $0.transfers[id]?.transfer })
    }

    package func transfer(clientID: Int64, group: Int64, in app: AppID) throws(StoreError) -> Transfer? {
        remembered(try read(app) { $0.transfers.transfer(clientID: clientID, group: group) })
    }

    private func save(_ record: TransferRecord, in app: AppID) async throws(StoreError) {
        try await perform(in: app) { _ in
            let content = RegistryChange.Content.transfer(record.transfer.id, record)
            return Decision(
                answer: (), changes: [RegistryChange(app: app, index: RegistryChange.ofApp, content)])
        }
    }

    private func remembered(_ transfer: Transfer?) -> Transfer? {
        transfer.flatMap { $0.isForgotten(at: time.now) ? nil : $0 }
    }
}
