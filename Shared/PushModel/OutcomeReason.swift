/// Reasons of outcomes, either the provider's or ours.
package enum OutcomeReason {
    package static let bytesMaximum = 64
    /// The app has no provider for such a device.
    package static let noProvider = "no_provider"
    /// The device's clock showed the task's local time long before the task was accepted.
    package static let localTimePassed = "local_time_passed"
    /// The device was reached in quiet hours, and the task skips such devices.
    package static let quietHours = "quiet_hours"
    /// So many devices wait because of the rate of the task, or of its app, that this one would wait for too long.
    package static let rate = "rate"
    /// The device has got as many pushes as it may get, and the task skips such devices or cannot wait for this one.
    package static let cap = "cap"

    /// No Live Activity can be started on the device, and the task has nothing else for it.
    package static let noStartToken = "no_start_token"
    /// A newer state of the Live Activity was sent, or it has ended.
    package static let superseded = "superseded"

    /// The stored part of a reason, cut at a whole character.
    package static func cut(_ reason: String) -> String {
        guard reason.utf8.count > bytesMaximum else { return reason }
        var kept = Substring(reason.unicodeScalars.prefix(bytesMaximum))
        while kept.utf8.count > bytesMaximum { kept.unicodeScalars.removeLast() }
        return String(kept)
    }
}
