import Glibc
import ServiceKit

/// The folder in which the simulator writes what its clients need.
struct SimulatorFolder: Sendable {
    struct FolderError: Error, CustomStringConvertible {
        let description: String
    }

    /// Absolute, since its readers have other working directories.
    let path: String

    init(_ path: String) throws(FolderError) {
        if mkdir(path, 0o755) != 0, errno != EEXIST {
            throw FolderError(description: "cannot create the folder \(path): \(String(cString: strerror(errno)))")
        }
        guard let resolved = realpath(path, nil) else {
            throw FolderError(description: "cannot resolve the folder \(path): \(String(cString: strerror(errno)))")
        }
        defer { free(resolved) }
        self.path = String(cString: resolved)
    }

    /// Writes a world-readable file and returns its path.
    func write(_ name: String, text: String) throws(FolderError) -> String {
        try write(name, text: text, mode: 0o644)
    }

    /// Writes a file for this user only and returns its path.
    func write(_ name: String, secret: Secret) throws(FolderError) -> String {
        try write(name, text: secret.reveal(), mode: 0o600)
    }

    /// A file of an earlier run is replaced atomically.
    private func write(_ name: String, text: String, mode: mode_t) throws(FolderError) -> String {
        let file = "\(path)/\(name)"
        let temporary = "\(path)/.\(name)"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw failure(file) }
        defer { close(descriptor) }
        guard WholeWrite.write(Array(text.utf8), to: descriptor), rename(temporary, file) == 0 else {
            throw failure(file)
        }
        return file
    }

    private func failure(_ file: String) -> FolderError {
        FolderError(description: "cannot write \(file): \(String(cString: strerror(errno)))")
    }
}
