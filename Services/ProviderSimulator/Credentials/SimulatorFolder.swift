import Glibc
import ServiceKit

/// Where the simulator puts what its clients need.
struct SimulatorFolder: Sendable {
    struct FolderError: Error, CustomStringConvertible {
        let description: String
    }

    /// Absolute, since its readers run elsewhere.
    let path: String

    init(_ path: String) throws(FolderError) {
        if mkdir(path, 0o755) != 0, errno != EEXIST {
            throw FolderError(description: "the folder \(path) cannot be made: \(String(cString: strerror(errno)))")
        }
        guard let resolved = realpath(path, nil) else {
            throw FolderError(description: "the folder \(path) cannot be found: \(String(cString: strerror(errno)))")
        }
        defer { free(resolved) }
        self.path = String(cString: resolved)
    }

    /// For everybody to read. Answers the file's path.
    func write(_ name: String, text: String) throws(FolderError) -> String {
        try write(name, text: text, mode: 0o644)
    }

    /// For this user alone.
    func write(_ name: String, secret: Secret) throws(FolderError) -> String {
        try write(name, text: secret.reveal(), mode: 0o600)
    }

    /// What an earlier run left there is replaced at once, never half.
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
        FolderError(description: "\(file) cannot be written: \(String(cString: strerror(errno)))")
    }
}
