import Topics

/// A payload with the size that its provider counts, with the longest values in its slots.
struct MeasuredTemplate: Sendable {
    let template: PayloadTemplate
    let bytes: Int

    /// Writes the payload with a proof if it is wanted and there is room for it.
    static func fitting(
        _ bytesMaximum: Int, provesReceipt: Bool, write: (_ hasProof: Bool) -> MeasuredTemplate
    ) -> MeasuredTemplate {
        guard provesReceipt else { return write(false) }
        let proven = write(true)
        return proven.bytes <= bytesMaximum ? proven : write(false)
    }
}
