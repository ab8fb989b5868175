package import PushModel
package import Store

extension MemoryRegistry: RegistryJournal {
    package func commit(_ changes: [RegistryChange]) {
        for change in changes { write(change.app) { $0.apply(change) } }
    }
}

extension MemoryRegistry: RegistryProjection {
    package func apply(_ changes: [LoggedChange]) {
        for logged in changes {
            let change = logged.change
            write(change.app) { state in
                guard logged.offset >= state[change.index].applied else { return }
                state.apply(change)
                state[change.index].applied = logged.offset + 1
            }
        }
    }

    package func applied(in segments: [SegmentID]) -> [Int64] {
        segments.map { segment in read(segment.app) { $0.segments[segment.number]?.applied ?? 0 } }
    }
}
