/// What only Apple devices have: the appearance of a notification, and how it is delivered there.
package struct AppleFields: Hashable, Sendable {
    /// A file that an extension of the app adds to the notification.
    package struct Attachment: Hashable, Sendable {
        package var id: String
        /// An https URL.
        package var url: String
        /// Passed to the extension unchanged.
        package var type: String?

        package init(id: String, url: String, type: String? = nil) {
            self.id = id
            self.url = url
            self.type = type
        }
    }

    /// The raw value is Apple's.
    package enum InterruptionLevel: String, CaseIterable, Sendable {
        case passive
        case active
        case timeSensitive = "time-sensitive"
        case critical
    }

    package static let attachmentsMaximum = 16
    package static let relevanceAllowed = 0.0...1.0

    /// Notifications of one thread are grouped.
    package var thread: String?
    /// True if an extension of the app changes the notification before it is shown.
    package var isMutable = false
    package var attachments: [Attachment] = []
    /// The notification with the highest relevance stands out in a summary.
    package var relevance: Double?
    package var interruption: InterruptionLevel?
    package var timeToLive: Duration?
    package var collapseID: String?

    package init() {}
}
