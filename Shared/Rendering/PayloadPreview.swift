package import PushModel
import Topics

/// What a provider gets for devices of one language.
package struct PayloadPreview: Sendable {
    package let kind: PushProtocol
    /// A language of the task; nil for its standard texts.
    package let language: String?
    /// Nil for a payload that the publisher wrote, and for a message without texts.
    package let title: String?
    package let body: String?
    /// With placeholders for what each device has of its own.
    package let payload: [UInt8]
    package let bytesMaximum: Int
}
