package import PushModel

/// One thing that becomes true of one device. The last change of a subject replaces those before it, which is what lets
/// a compacted log hold the registry.
package struct RegistryChange: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        /// Nil when the device is gone, with all that belongs to it. A commit that says so also names, before it, the end
        /// of each subscription and of the badge: a log that is compacted could not let go of their records otherwise.
        case device(Device?)
        /// Nil when the subscription has ended.
        case subscription(TopicName, SubscriptionOptions?)
        /// As the device reported it; what is counted on top is not part of the truth.
        case badge(UInt32?)
    }

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

/// Makes changes true. With the embedded bus the store itself does; with Kafka they are appended to the log first, and
/// true once the projector has applied them.
package protocol RegistryJournal: Sendable {
    /// Returns once all are applied. The changes are of one device.
    func commit(_ changes: [RegistryChange]) async throws(StoreError)
}

/// The store as the projector sees it.
package protocol RegistryProjection: Sendable {
    /// Applies changes in their order, each segment's under its own guard: what was applied before is passed over.
    func apply(_ changes: [LoggedChange]) async throws(StoreError)
    /// The offset after the last applied change of each segment; zero where nothing was.
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
