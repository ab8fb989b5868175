import Glibc
import ServiceKit

/// A new folder below /tmp for a server of this process. The last reference removes it with its contents.
package final class LocalFolder: Sendable {
    package let path: String

    package init(_ purpose: String) throws(LocalFolderError) {
        var template = Array("/tmp/carillon-\(purpose)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw LocalFolderError(problem: "cannot create a folder in /tmp") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        FileTree.remove(path)
    }

    /// Writes a file into the folder; returns its path.
    @discardableResult
    package func write(_ name: String, content: [UInt8]) throws(LocalFolderError) -> String {
        let file = "\(path)/\(name)"
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard descriptor >= 0, WholeWrite.write(content, to: descriptor) else {
            throw LocalFolderError(problem: "cannot write \(file)")
        }
        return file
    }
}

package struct LocalFolderError: Error, CustomStringConvertible {
    package let description: String

    init(problem: String) {
        description = "\(problem): \(String(cString: strerror(errno)))"
    }
}
