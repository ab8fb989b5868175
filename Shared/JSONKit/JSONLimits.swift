/// What a document may take before it is refused.
package struct JSONLimits: Sendable {
    package var bytesMaximum: Int
    /// How far arrays and objects may be nested; a depth is bounded by the stack as well, so it stays below 256.
    package let depthMaximum: Int

    package init(bytesMaximum: Int = 1 << 20, depthMaximum: Int = 32) {
        self.bytesMaximum = bytesMaximum
        self.depthMaximum = min(max(depthMaximum, 1), 256)
    }
}
