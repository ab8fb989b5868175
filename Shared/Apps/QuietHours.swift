/// The time of day without pushes; it may span midnight.
package struct QuietHours: Sendable, Equatable {
    /// Minutes after midnight.
    package let start: Int
    package let end: Int
    /// IANA name; for devices without a time zone.
    package let timeZone: String
}
