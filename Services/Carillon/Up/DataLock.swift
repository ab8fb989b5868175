import Glibc
import ServiceKit

/// Reserves a data folder for one `carillon up`. Its programs hold the lock as well, so that two redis-servers never
/// write to one folder, not even while the programs of a killed `up` are still exiting.
final class DataLock: Sendable {
    /// How long programs that were killed with their parent may take to exit.
    private static let patience = Duration.seconds(10)
    private static let pause = Duration.milliseconds(50)

    /// Inherited by every program that uses the folder.
    let descriptor: Int32

    init(_ folder: DataFolder, time: any TimeSource) async throws {
        let descriptor = open(folder.lockFile, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw UpError("cannot open \(folder.lockFile): \(String(cString: strerror(errno)))")
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
            throw UpError("cannot read /proc/\(getpid())/stat")
        }
        let text = Array("\(own.text)\n".utf8)
        guard ftruncate(descriptor, 0) == 0, WholeWrite.write(text, to: descriptor) else {
            throw UpError("cannot write \(folder.lockFile): \(String(cString: strerror(errno)))")
        }
    }

    /// Closed, not unlocked: the lock lasts until the last program has exited.
    deinit {
        close(descriptor)
    }

    private static func isHeld(_ folder: DataFolder) -> Bool {
        let descriptor = open(folder.lockFile, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// The `carillon up` that runs in the folder. Nil if it was killed, even if its process id was reused and its
    /// programs still hold the lock.
    static func runningHolder(of folder: DataFolder) -> pid_t? {
        guard isHeld(folder), let holder = holder(of: folder), holder.isRunning else { return nil }
        return holder.processID
    }

    /// The process that took the lock last.
    private static func holder(of folder: DataFolder) -> ProcessIdentity? {
        let bytes = SmallFile.read(folder.lockFile, bytesMaximum: 64) ?? []
        return OutsideText.string(bytes.prefix { $0 != UInt8(ascii: "\n") }).flatMap { ProcessIdentity(text: $0) }
    }

    private static func refusal(_ folder: DataFolder, holder: pid_t?) -> UpError {
        let whose = holder.map { "process \($0)" } ?? "another process"
        return UpError(
            """
            \(whose) holds \(folder.path): another carillon up is running there; stop it, or choose another one with \
            --data FOLDER
            """)
    }
}
