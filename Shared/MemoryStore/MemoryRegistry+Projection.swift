package import PushModel
import ServiceKit
package import Store

extension MemoryRegistry: RegistryJournal {
    package func commit(_ changes: [RegistryChange]) throws(StoreError) {
        for change in changes { try write(change.app) { $0.apply(change) } }
    }
}

/// While a registry is being filled, only the rebuild applies changes to it.
extension MemoryRegistry: RegistryProjection {
    package func apply(_ changes: [LoggedChange]) throws(StoreError) {
        try contents.withLock { contents throws(StoreError) in
            try contents.checkReady()
            contents.apply(changes)
        }
    }

    package func applied(in segments: [SegmentID]) throws(StoreError) -> [Int64] {
        try contents.withLock { contents throws(StoreError) in
            try contents.checkReady()
            return contents.applied(in: segments)
        }
    }
}

extension MemoryRegistry.Contents {
    mutating func apply(_ changes: [LoggedChange]) {
        for logged in changes { apps[logged.change.app, default: MemoryRegistryApp()].apply(logged) }
    }

    func applied(in segments: [SegmentID]) -> [Int64] {
        segments.map { apps[$0.app]?[$0.number].applied ?? 0 }
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
