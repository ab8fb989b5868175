/// What a push does to a Live Activity. The raw value is Apple's name of it, and part of stored records.
package enum ActivityEvent: String, CaseIterable, Sendable {
    case start
    case update
    case end
}
