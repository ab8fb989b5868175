/// Limits of a document.
package struct JSONLimits: Sendable {
    package var bytesMaximum: Int
    /// Nesting of arrays and objects, not counting an empty one at the bottom. At most 256, since the stack limits it
    /// too.
    package let depthMaximum: Int
    /// Values in all arrays and objects. A value takes up to 70 bytes of memory, however short its text.
    package let valuesMaximum: Int
    /// Arrays and objects among the values; each is a separate allocation.
    package let containersMaximum: Int
    /// Length of a member's name.
    package let nameBytesMaximum: Int
    /// True if an object may repeat a name; the last value wins.
    package let namesMayRepeat: Bool

    package init(
        bytesMaximum: Int = 1 << 20, depthMaximum: Int = 32, valuesMaximum: Int = 20_000,
        containersMaximum: Int = 20_000, nameBytesMaximum: Int = 1_024, namesMayRepeat: Bool = true
    ) {
        self.bytesMaximum = bytesMaximum
        self.depthMaximum = min(max(depthMaximum, 1), 256)
        self.valuesMaximum = valuesMaximum
        self.containersMaximum = containersMaximum
        self.nameBytesMaximum = nameBytesMaximum
        self.namesMayRepeat = namesMayRepeat
    }
}
