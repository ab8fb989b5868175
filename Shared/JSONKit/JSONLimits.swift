/// What a document may take before it is refused.
package struct JSONLimits: Sendable {
    package var bytesMaximum: Int
    /// How far arrays and objects may be nested, where an empty one at the bottom counts for nothing. At most 256, since
    /// the stack bounds it as well.
    package let depthMaximum: Int
    /// Of all lists and objects together. A value takes up to 70 bytes of memory however short it is written.
    package let valuesMaximum: Int
    /// Lists and objects among the values: each is an allocation of its own.
    package let containersMaximum: Int
    /// A member's name.
    package let nameBytesMaximum: Int
    /// Whether an object may have a name more than once; the last value counts then.
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
