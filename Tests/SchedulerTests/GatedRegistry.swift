import MemoryStore
import PushModel
import ServiceKit
import Store
import TestSupport

/// A registry that is not ready while its gate is closed, counts refused reads, and can lose a segment.
final class GatedRegistry: RegistryReader {
    let store: MemoryRegistry
    private let gate = Monitor((isShut: false, refused: 0))
    private let corrupt = Monitor<SegmentNumber?>(nil)
    private let lost = Monitor<Set<SegmentNumber>>([])

    init(_ store: MemoryRegistry) {
        self.store = store
    }

    func shut(_ isShut: Bool) {
        gate.change { $0.isShut = isShut }
    }

    var isShut: Bool { gate.withLock { $0.isShut } }

    /// Makes the registry report this segment as missing, or as present again.
    func lose(_ segment: SegmentNumber, isLost: Bool = true) {
        lost.change { lost in
            if isLost { lost.insert(segment) } else { lost.remove(segment) }
        }
    }

    /// Makes this segment unreadable from now on.
    func corrupt(_ segment: SegmentNumber) {
        corrupt.change { $0 = segment }
    }

    func hasRefused(_ count: Int) async -> Bool {
        await blocking { [gate] in
            gate.wait(timeout: .hangLimit) { $0.refused >= count ? true : nil } ?? false
        }
    }

    func devices(at offsets: SegmentSet, in segment: SegmentID) async throws(StoreError) -> PackedDevices {
        let isShut = gate.change { gate in
            if gate.isShut { gate.refused += 1 }
            return gate.isShut
        }
        if segment.number == corrupt.withLock({ $0 }) {
            throw StoreError(.corrupt, message: "a segment that cannot be read")
        }
        if lost.withLock({ $0.contains(segment.number) }) {
            throw StoreError(.notReady, message: "a segment that is lost")
        }
        if isShut { throw StoreError(.notReady, message: "the registry is being rebuilt") }
        return try store.devices(at: offsets, in: segment)
    }

    func segments(of audience: Audience, in app: AppID) async throws(StoreError) -> [SegmentNumber] {
        try store.segments(of: audience, in: app)
    }

    func members(
        of topics: [TopicName], in segments: [SegmentNumber], of app: AppID
    ) async throws(StoreError) -> [SegmentMembers] {
        try store.members(of: topics, in: segments, of: app)
    }
}
