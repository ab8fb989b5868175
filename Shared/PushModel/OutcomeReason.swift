/// Why a device ended as it did, in the provider's words or in ours.
package enum OutcomeReason {
    package static let bytesMaximum = 64
    /// The app has nothing through which such a device can be reached.
    package static let noProvider = "no_provider"

    /// As much of the reason as is kept: whole characters.
    package static func cut(_ reason: String) -> String {
        guard reason.utf8.count > bytesMaximum else { return reason }
        var kept = Substring(reason.unicodeScalars.prefix(bytesMaximum))
        while kept.utf8.count > bytesMaximum { kept.unicodeScalars.removeLast() }
        return String(kept)
    }
}
