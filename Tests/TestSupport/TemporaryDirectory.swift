import Glibc

/// A folder of a test's own, removed with everything in it when the last reference goes.
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
    package func write(_ name: String, _ content: String) -> String {
        let path = file(name)
        guard let stream = fopen(path, "w") else { preconditionFailure("\(path) cannot be written") }
        fputs(content, stream)
        fclose(stream)
        return path
    }

    deinit {
        TemporaryDirectory.remove(path)
    }

    private static func remove(_ path: String) {
        if let directory = opendir(path) {
            while let entry = readdir(directory) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                guard name != ".", name != ".." else { continue }
                var status = stat()
                let child = "\(path)/\(name)"
                if lstat(child, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
                    remove(child)
                } else {
                    unlink(child)
                }
            }
            closedir(directory)
        }
        rmdir(path)
    }
}
