import Glibc
import ServiceKit

/// Keeps a data folder to one `carillon up`. The programs it starts hold the lock as well: two redis-servers can never
/// write one folder, not even when a first `up` was killed and its own are only just ending.
final class DataLock: Sendable {
    /// For programs that were killed with their parent to be gone.
    private static let patience = Duration.seconds(10)
    private static let pause = Duration.milliseconds(50)

    /// To be handed down to every program that uses the folder.
    let descriptor: Int32

    init(_ folder: DataFolder, time: any TimeSource) async throws {
        let descriptor = open(folder.lockFile, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw UpError("\(folder.lockFile) cannot be opened: \(String(cString: strerror(errno)))")
        }
        self.descriptor = descriptor
        let deadline = time.uptime + DataLock.patience
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let holder = DataLock.holder(of: folder)
            guard let holder, !holder.isRunning, time.uptime < deadline else {
                throw DataLock.refusal(folder, holder: DataLock.runningHolder(of: folder))
            }
            try await time.sleep(for: DataLock.pause)
        }
        guard let own = ProcessIdentity(running: getpid()) else {
            throw UpError("/proc/\(getpid())/stat cannot be read")
        }
        let text = Array("\(own.text)\n".utf8)
        guard ftruncate(descriptor, 0) == 0, WholeWrite.write(text, to: descriptor) else {
            throw UpError("\(folder.lockFile) cannot be written: \(String(cString: strerror(errno)))")
        }
    }

    /// Closed and not unlocked: the lock lasts until the last of the programs is gone.
    deinit {
        close(descriptor)
    }

    private static func isHeld(_ folder: DataFolder) -> Bool {
        let descriptor = open(folder.lockFile, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// The `carillon up` that runs in the folder. Nil when it was killed, also where its number is another process' now
    /// and its programs still hold the lock.
    static func runningHolder(of folder: DataFolder) -> pid_t? {
        guard isHeld(folder), let holder = holder(of: folder), holder.isRunning else { return nil }
        return holder.processID
    }

    /// Who took the lock last.
    private static func holder(of folder: DataFolder) -> ProcessIdentity? {
        let bytes = SmallFile.read(folder.lockFile, bytesMaximum: 64) ?? []
        return OutsideText.string(bytes.prefix { $0 != UInt8(ascii: "\n") }).flatMap { ProcessIdentity(text: $0) }
    }

    private static func refusal(_ folder: DataFolder, holder: pid_t?) -> UpError {
        let whose = holder.map { "process \($0)" } ?? "another process"
        return UpError(
            """
            \(whose) holds \(folder.path): another carillon up is running there; end it, or choose another folder with \
            --data FOLDER
            """)
    }
}
