package import PushModel
import ServiceKit
package import Store

extension MemoryRegistry: RegistryJournal {
    package func commit(_ changes: [RegistryChange]) throws(StoreError) {
        for change in changes { try write(change.app) { $0.apply(change) } }
    }
}

/// The projector fills the registry also while nobody else may use it.
extension MemoryRegistry: RegistryProjection {
    package func apply(_ changes: [LoggedChange]) {
        contents.withLock { contents in
            for logged in changes { contents.apps[logged.change.app, default: MemoryRegistryApp()].apply(logged) }
        }
    }

    package func applied(in segments: [SegmentID]) -> [Int64] {
        contents.withLock { contents in segments.map { contents.apps[$0.app]?[$0.number].applied ?? 0 } }
    }
}

extension MemoryRegistryApp {
    fileprivate mutating func apply(_ logged: LoggedChange) {
        let segment = logged.change.index.segment
        guard logged.offset >= self[segment].applied else { return }
        apply(logged.change)
        self[segment].applied = logged.offset + 1
    }
}
