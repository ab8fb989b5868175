import Glibc

/// Lock of one process that changes files of a folder, so that two operators do not overwrite each other's changes. The
/// system releases it when the process ends.
struct FolderLock {
    let descriptor: Int32

    init(_ path: String) throws(AppsError) {
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw AppsError(
                code: .missing, message: "the folder \(path) cannot be opened: \(String(cString: strerror(errno)))")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw AppsError(code: .unwritable, message: "another carillon process is changing \(path); retry")
        }
    }

    /// Unlocks explicitly: a child process has a copy of the descriptor between fork and exec.
    func release() {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
