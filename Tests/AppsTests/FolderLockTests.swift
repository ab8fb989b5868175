import Glibc
import TestSupport
import Testing

@testable import Apps

@Suite struct FolderLockTests {
    @Test func onlyOneHoldsIt() throws {
        let folder = TemporaryDirectory()
        let lock = try FolderLock(folder.path)
        let error = #expect(throws: AppsError.self) { try FolderLock(folder.path) }
        #expect(error?.code == .unwritable)
        lock.release()
        try FolderLock(folder.path).release()
    }

    /// Goal: release unlocks the folder. Method: keep a copy of the descriptor, as a child does between fork and exec.
    @Test func aCopyOfItsDescriptorDoesNotKeepIt() throws {
        let folder = TemporaryDirectory()
        let lock = try FolderLock(folder.path)
        let copy = fcntl(lock.descriptor, F_DUPFD_CLOEXEC, 0)
        defer { close(copy) }
        lock.release()
        try FolderLock(folder.path).release()
    }
}
