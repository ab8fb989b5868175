import Glibc
import ServiceKit

/// A test's own folder, removed with its content when the last reference is released.
package final class TemporaryDirectory: Sendable {
    package let path: String

    package init(_ purpose: String = "test") {
        var template = Array("/tmp/carillon-\(purpose)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { preconditionFailure("no folder could be made in /tmp") }
        path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    }

    package func file(_ name: String) -> String {
        "\(path)/\(name)"
    }

    /// Writes a file into the folder and returns its path.
    @discardableResult
    package func write(_ name: String, content: String) -> String {
        let path = file(name)
        guard let stream = fopen(path, "w") else { preconditionFailure("\(path) cannot be written") }
        fputs(content, stream)
        fclose(stream)
        return path
    }

    deinit {
        FileTree.remove(path)
    }
}
