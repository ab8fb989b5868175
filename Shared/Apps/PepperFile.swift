import Glibc
import ServiceKit

/// The file that holds the pepper. Its calls block.
struct PepperFile: Sendable {
    enum Content: Sendable {
        /// With what its owner should mend.
        case pepper(Pepper, warning: String?)
        case unusable(String)
    }

    /// Groups may read it, as they must where an orchestrator mounts secrets; nobody else may, and nobody else may write.
    private static let tooOpen: mode_t = 0o037

    let path: String

    var isMissing: Bool {
        var status = stat()
        return stat(path, &status) != 0 && errno == ENOENT
    }

    func read() -> Content {
        var status = stat()
        guard stat(path, &status) == 0 else {
            return .unusable(
                errno == ENOENT
                    ? "is missing, so no key is recognised; carillon apps add makes one with the first key"
                    : "cannot be read, so no key is recognised: \(String(cString: strerror(errno)))")
        }
        guard status.st_mode & S_IFMT == S_IFREG,
            let bytes = SmallFile.read(path, bytesMaximum: Pepper.bytesMaximum)
        else { return .unusable("cannot be read, so no key is recognised; it must be a file that this user may read") }
        guard let pepper = Pepper(fileContent: bytes) else {
            return .unusable("is too short, so no key is recognised; it must hold at least 32 random bytes")
        }
        let isOpen = status.st_mode & PepperFile.tooOpen != 0
        return .pepper(pepper, warning: isOpen ? "others may read or write it; run chmod 600 \(path)" : nil)
    }
}
