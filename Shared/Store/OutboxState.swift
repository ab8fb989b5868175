/// A state of a message or of a device, encoded for its webhook.
package struct OutboxState: Hashable, Sendable {
    /// Unique in its subject: a state with the name of an earlier one is dropped.
    package let name: String
    /// A JSON object.
    package let bytes: [UInt8]

    package init(_ name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }
}
