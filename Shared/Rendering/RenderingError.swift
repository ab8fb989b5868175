/// Why a task cannot be rendered, in words for whoever wrote it.
package struct RenderingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The field of the request, such as `message.title.fr` or `payloads.ios.aps`.
    package let path: String
    /// Completes the sentence that begins with the path, and says what to do.
    package let message: String

    package init(_ path: String, message: String) {
        self.path = path
        self.message = message
    }

    package var description: String { "\(path): \(message)" }
}
