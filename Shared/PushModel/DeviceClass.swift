/// Whether pushes to a device can wait for a good moment, as webhooks are told. The raw value is in requests and messages
/// and must not change.
package enum DeviceClass: String, CaseIterable, Sendable {
    /// Its app has reported no moment.
    case unknown
    /// Its app has reported a moment.
    case eligible
    /// It was removed.
    case ineligible
}
