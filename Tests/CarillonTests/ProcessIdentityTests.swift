import Glibc
import ServiceKit
import TestSupport
import Testing

@testable import Carillon

@Suite struct ProcessIdentityTests {
    @Test func aNumberThatWasGivenAgainIsAnotherProcess() throws {
        let own = try #require(ProcessIdentity(running: getpid()))
        #expect(own.isRunning)
        #expect(ProcessIdentity(text: own.text) == own)
        let words = own.text.split(separator: " ")
        let started = try #require(UInt64(words[1]))
        let earlier = try #require(ProcessIdentity(text: "\(words[0]) \(started - 1)"))
        #expect(!earlier.isRunning)
    }

    @Test func aProcessThatEndedIsNone() async throws {
        let child = try ChildProcess("/bin/cat")
        let identity = try #require(ProcessIdentity(running: child.processID))
        #expect(identity.isRunning)
        child.signal(9)
        #expect(await child.end() == .signalled(9))
        #expect(!identity.isRunning)
    }

    @Test(arguments: ["", "1", "0 5", "-1 5", "x 5", "1 x", "1 2 3"])
    func anythingElseIsNoIdentity(text: String) {
        #expect(ProcessIdentity(text: text) == nil)
    }

    /// Goal: files of a killed `up` are ignored, even if its process id was reused and its programs still hold the
    /// lock. Method: a lock file that names this process with an earlier start.
    @Test func aKilledUpIsNotTakenForTheProcessThatReusesItsNumber() async throws {
        let folder = TemporaryDirectory("data")
        let data = try DataFolder(making: folder.path)
        folder.write("up.json", content: #"{"url":"http://127.0.0.1:9","redis":"redis://127.0.0.1:9","key_file":null}"#)
        let lock = try await DataLock(data, time: SystemTimeSource())
        #expect(DataLock.runningHolder(of: data) == getpid())
        #expect(UpAnnouncement.Summary(of: data) != nil)
        folder.write("up.lock", content: "\(getpid()) 1\n")
        #expect(DataLock.runningHolder(of: data) == nil)
        #expect(UpAnnouncement.Summary(of: data) == nil)
        withExtendedLifetime(lock) {}
    }
}
