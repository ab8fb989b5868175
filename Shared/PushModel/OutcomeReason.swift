/// Why a device ended as it did, in the provider's words or in ours.
package enum OutcomeReason {
    package static let bytesMaximum = 64

    /// As much of the reason as is kept: whole characters.
    package static func cut(_ reason: String) -> String {
        guard reason.utf8.count > bytesMaximum else { return reason }
        var kept = Substring(reason.unicodeScalars.prefix(bytesMaximum))
        while kept.utf8.count > bytesMaximum { kept.unicodeScalars.removeLast() }
        return String(kept)
    }
}
