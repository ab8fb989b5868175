import Glibc
import ServiceKit

/// A file accessible to this user only. It is replaced atomically: a reader sees the old or the new content.
enum PrivateFile {
    static func write(_ text: String, to path: String) throws(UpError) {
        let temporary = path + ".new"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        guard WholeWrite.write(Array(text.utf8), to: descriptor), fsync(descriptor) == 0,
            rename(temporary, path) == 0
        else { throw failure(path) }
    }

    private static func failure(_ path: String) -> UpError {
        UpError("cannot write \(path): \(String(cString: strerror(errno)))")
    }
}
