package import PushModel
package import Store

extension MemoryRegistry: SavedAudiences {
    package func save(_ definition: [UInt8], as name: AudienceName, in app: AppID) async throws(StoreError) {
        try await perform(in: app) { state throws(StoreError) in
            try SavedAudienceBounds.check(
                definition, isNew: state.audiences[name] == nil, count: state.audiences.count)
            return Decision(answer: (), changes: [MemoryRegistry.change(name, to: definition, in: app)])
        }
    }

    package func removeAudience(_ name: AudienceName, in app: AppID) async throws(StoreError) {
        try await perform(in: app) { _ in
            Decision(answer: (), changes: [MemoryRegistry.change(name, to: nil, in: app)])
        }
    }

    package func audiences(
        _ names: [AudienceName], in app: AppID
    ) throws(StoreError) -> [AudienceName: [UInt8]] {
        try read(app) { state in state.audiences.filter { names.contains($0.key) } }
    }

    package func audienceNames(in app: AppID) throws(StoreError) -> [AudienceName] {
        try read(app) { $0.audiences.keys.sorted() }
    }

    private static func change(_ name: AudienceName, to definition: [UInt8]?, in app: AppID) -> RegistryChange {
        RegistryChange(app: app, index: RegistryChange.ofApp, .audience(name, definition))
    }
}
