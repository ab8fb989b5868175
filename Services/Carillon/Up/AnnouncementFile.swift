import Glibc
import Synchronization

/// `up.json`. It is written when everything is ready and whenever a program exits or restarts, so that it names no
/// exited process, and removed when the stop begins.
final class AnnouncementFile: Sendable {
    private let path: String
    private let content = Mutex<(@Sendable () -> String)?>(nil)

    init(_ folder: DataFolder) {
        path = folder.announcementFile
    }

    func publish(_ content: @escaping @Sendable () -> String) throws {
        try self.content.withLock { current in
            try PrivateFile.write(content() + "\n", to: path)
            current = content
        }
    }

    /// Does nothing before `publish` and after `withdraw`.
    func renew() throws {
        try content.withLock { current in
            guard let current else { return }
            try PrivateFile.write(current() + "\n", to: path)
        }
    }

    func withdraw() {
        content.withLock { current in
            current = nil
            unlink(path)
        }
    }
}
