package import PushModel

/// One new fact about one device, or about its app. The last change of a subject replaces the earlier ones, which
/// allows a compacted log to hold the registry.
package struct RegistryChange: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        /// Nil if the device was removed, with all its data. Such a commit also names, before this change, the end of
        /// each subscription and of the badge: otherwise a compacted log could not drop their records.
        case device(Device?)
        /// Nil if the subscription has ended.
        case subscription(TopicName, SubscriptionOptions?)
        /// All subscriptions of the segment's devices to the topic have ended. Its place is the segment's first. Such a
        /// record stays in the log for as long as the subscriptions that precede it may.
        case purge(TopicName)
        /// The badge reported by the device; increments counted on top are not part of the log.
        case badge(UInt32?)
        /// A saved audience of the app, as its writer encoded it; nil if it was removed. It is stored with the app's
        /// first segment, at `ofApp`.
        case audience(AudienceName, [UInt8]?)
        /// The publications to a topic, at `ofApp`.
        case count(TopicName, TopicCountChange)
        /// A group of the app, at `ofApp`. Groups are never removed.
        case group(TransferGroup)
        /// A transfer, at `ofApp`; nil once it is forgotten.
        case transfer(UInt64, TransferRecord?)
        /// A fact about a Live Activity, at `ofApp` of the app's space of activities; nil once it is forgotten.
        case activity(ActivityFact, ActivityRecord?)
    }

    /// The place of facts about an app.
    package static let ofApp = DeviceIndex(rawValue: 0)

    package let app: AppID
    package let index: DeviceIndex
    package let content: Content

    package init(app: AppID, index: DeviceIndex, _ content: Content) {
        self.app = app
        self.index = index
        self.content = content
    }

    package var segment: SegmentID { SegmentID(app, number: index.segment) }
}

/// Commits changes. With the embedded bus the store applies them; with Kafka they are appended to the log first, and
/// take effect once the projector has applied them.
package protocol RegistryJournal: Sendable {
    /// Returns once all are applied. The changes are of one segment; those of a device are in their order.
    func commit(_ changes: [RegistryChange]) async throws(StoreError)
}

/// Write access for the projector.
package protocol RegistryProjection: Sendable {
    /// Applies changes in order, each segment under its own guard: changes already applied are skipped.
    func apply(_ changes: [LoggedChange]) async throws(StoreError)
    /// The offset after the last applied change of each segment; zero if none was applied.
    func applied(in segments: [SegmentID]) async throws(StoreError) -> [Int64]
}

package struct LoggedChange: Hashable, Sendable {
    package let offset: Int64
    package let change: RegistryChange

    package init(offset: Int64, _ change: RegistryChange) {
        self.offset = offset
        self.change = change
    }
}
