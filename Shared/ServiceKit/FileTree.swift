import Glibc

/// Removes a folder with its contents, without Foundation.
package enum FileTree {
    /// Removes as much as possible; links are removed and not followed.
    package static func remove(_ path: String) {
        if let directory = opendir(path) {
            while let entry = readdir(directory) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { OutsideText.replacing(cString: $0) }
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
