package import PushModel
import ServiceKit
package import Store

extension MemoryRegistry: TransferGroups {
    package func groups(in app: AppID) throws(StoreError) -> [TransferGroup] {
        try read(app) { $0.groups.all.values.sorted { $0.id < $1.id } }
    }

    package func group(_ id: Int64, in app: AppID) throws(StoreError) -> TransferGroup? {
        try read(app) { $0.groups.all[id] }
    }

    package func save(_ group: TransferGroup, in app: AppID) async throws(StoreError) -> TransferGroupVerdict {
        defer { contents.withLock { $0.apps[app]?.groups.release(group) } }
        return try await perform(in: app) { state in
            let verdict = state.groups.reserve(group)
            let change = RegistryChange(app: app, index: RegistryChange.ofApp, .group(group))
            return Decision(answer: verdict, changes: verdict == .saved ? [change] : [])
        }
    }
}
