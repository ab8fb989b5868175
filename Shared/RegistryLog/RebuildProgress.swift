import PushModel
import Store

/// Progress of a rebuild.
package struct RebuildProgress: Sendable {
    package private(set) var records = 0
    /// Records of deletions.
    package private(set) var tombstones = 0
    /// Records that are malformed or from a later version; they are skipped.
    package private(set) var unreadable = 0
    /// One bit for each device, so it is small compared to what it counts.
    private var living: [SegmentID: SegmentSet] = [:]

    package var devices: Int { living.values.reduce(0) { $0 + $1.count } }
    package var segments: Int { living.count }
    package var apps: Int { Set(living.keys.map(\.app)).count }

    mutating func add(_ change: RegistryChange) {
        records += 1
        switch change.content {
        case .device(.some): living[change.segment, default: SegmentSet()].insert(change.index.offset)
        case .device(nil):
            tombstones += 1
            living[change.segment]?.remove(change.index.offset)
        case .subscription(_, nil), .badge(nil), .audience(_, nil), .transfer(_, nil), .activity(_, nil):
            tombstones += 1
        case .subscription, .purge, .badge, .audience, .count, .group, .transfer, .activity: break
        }
    }

    mutating func addUnreadable() {
        records += 1
        unreadable += 1
    }
}
