import Glibc

/// Held by one process while it changes files of a folder, so that two operators do not undo each other's work. The system
/// lets go of it when the process ends.
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
            throw AppsError(code: .unwritable, message: "another carillon is changing \(path) just now; try again")
        }
    }

    /// Let go of by name: a child that is just being started still has a copy of the descriptor, until it is another program.
    func release() {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
