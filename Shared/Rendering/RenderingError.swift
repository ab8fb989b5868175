/// Why a task cannot be rendered, reported to its publisher.
package struct RenderingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The field of the request, such as `message.title.fr` or `payloads.ios.aps`.
    package let path: String
    /// The error and how to fix it, shown after the path.
    package let message: String

    package init(_ path: String, message: String) {
        self.path = path
        self.message = message
    }

    package var description: String { "\(path): \(message)" }
}
