/// Reasons of outcomes, either the provider's or ours.
package enum OutcomeReason {
    package static let bytesMaximum = 64
    /// The app has no provider for such a device.
    package static let noProvider = "no_provider"

    /// The stored part of a reason, cut at a whole character.
    package static func cut(_ reason: String) -> String {
        guard reason.utf8.count > bytesMaximum else { return reason }
        var kept = Substring(reason.unicodeScalars.prefix(bytesMaximum))
        while kept.utf8.count > bytesMaximum { kept.unicodeScalars.removeLast() }
        return String(kept)
    }
}
