import Glibc
import ServiceKit

/// The file with the pepper. Calls block.
struct PepperFile: Sendable {
    enum Content: Sendable {
        /// With a warning for its owner.
        case pepper(Pepper, warning: String?)
        case unusable(String)
    }

    /// The group may read the file, which orchestrators need for mounted secrets; others may not, and only the owner
    /// may write.
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
                    ? "is missing, so all keys are rejected; carillon apps add creates it with the first key"
                    : "cannot be read, so all keys are rejected: \(String(cString: strerror(errno)))")
        }
        guard status.st_mode & S_IFMT == S_IFREG,
            let bytes = SmallFile.read(path, bytesMaximum: Pepper.bytesMaximum)
        else { return .unusable("cannot be read, so all keys are rejected; it must be a file this user can read") }
        guard let pepper = Pepper(fileContent: bytes) else {
            return .unusable("is too short, so all keys are rejected; it must hold at least 32 random bytes")
        }
        let isOpen = status.st_mode & PepperFile.tooOpen != 0
        return .pepper(pepper, warning: isOpen ? "other users can read or write it; run chmod 600 \(path)" : nil)
    }
}
