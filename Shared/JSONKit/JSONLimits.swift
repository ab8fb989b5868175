/// What a document may take before it is refused.
package struct JSONLimits: Sendable {
    package var bytesMaximum: Int
    /// How far arrays and objects may be nested, where an empty one at the bottom counts for nothing. At most 256, since
    /// the stack bounds it as well.
    package let depthMaximum: Int

    package init(bytesMaximum: Int = 1 << 20, depthMaximum: Int = 32) {
        self.bytesMaximum = bytesMaximum
        self.depthMaximum = min(max(depthMaximum, 1), 256)
    }
}
