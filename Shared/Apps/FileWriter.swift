import Glibc
import ServiceKit

/// Writes files atomically: a reader sees either the old or the new content, even after a power failure.
enum FileWriter {
    static func makeFolder(_ path: String, mode: mode_t = 0o755) throws(AppsError) {
        guard mkdir(path, mode) != 0, errno != EEXIST else { return }
        throw failure("the folder \(path) cannot be created", error: errno)
    }

    /// Refuses to overwrite.
    static func create(_ path: String, bytes: [UInt8], mode: mode_t) throws(AppsError) {
        let temporary = try writeTemporary(beside: path, bytes, mode: mode)
        defer { unlink(temporary) }
        // Unlike rename, link fails if the file exists.
        guard link(temporary, path) == 0 else {
            guard errno != EEXIST else {
                throw AppsError(code: .exists, message: "\(path) already exists and was not changed")
            }
            throw failure("\(path) cannot be written", error: errno)
        }
        syncFolder(of: path)
    }

    /// Replaces a file and keeps its mode. If the path is a link, its target is replaced.
    static func replace(_ path: String, bytes: [UInt8]) throws(AppsError) {
        guard let resolved = realpath(path, nil) else { throw failure("\(path) cannot be found", error: errno) }
        let target = String(cString: resolved)
        free(resolved)
        var status = stat()
        guard stat(target, &status) == 0 else { throw failure("\(path) cannot be read", error: errno) }
        let temporary = try writeTemporary(beside: target, bytes, mode: status.st_mode & 0o777)
        guard rename(temporary, target) == 0 else {
            let error = errno
            unlink(temporary)
            throw failure("\(path) cannot be written", error: error)
        }
        syncFolder(of: target)
    }

    /// The name starts with a dot, so that it is not read as an app file.
    private static func writeTemporary(
        beside path: String, _ bytes: [UInt8], mode: mode_t
    ) throws(AppsError) -> String {
        var template = Array("\(folder(of: path))/.carillon-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw failure("cannot write in \(folder(of: path))", error: errno) }
        defer { close(descriptor) }
        let temporary = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
        guard fchmod(descriptor, mode) == 0, WholeWrite.write(bytes, to: descriptor), fsync(descriptor) == 0 else {
            let error = errno
            unlink(temporary)
            throw failure("\(path) cannot be written", error: error)
        }
        return temporary
    }

    private static func syncFolder(of path: String) {
        let descriptor = open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func failure(_ message: String, error: Int32) -> AppsError {
        AppsError(code: .unwritable, message: "\(message): \(String(cString: strerror(error)))")
    }
}
