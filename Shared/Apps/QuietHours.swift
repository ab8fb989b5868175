/// The time of day in which devices are not rung; it may pass midnight.
package struct QuietHours: Sendable, Equatable {
    /// Minutes after midnight.
    package let start: Int
    package let end: Int
    /// IANA name; for devices whose own time zone is not known.
    package let timeZone: String
}
