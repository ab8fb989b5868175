import Glibc
import ServiceKit
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct ChildProcessTests {
    private func shell(
        _ script: String, change: (inout ChildProcess.Options) -> Void = { _ in }
    ) throws -> ChildProcess {
        var options = ChildProcess.Options()
        change(&options)
        return try ChildProcess("sh", arguments: ["-c", script], options: options)
    }

    @Test func itsEndResumesAllWaiters() async throws {
        #expect(await (try shell("exit 3")).ended() == .exited(3))
        #expect(await (try shell("kill -9 $$")).ended() == .signalled(SIGKILL))
    }

    @Test func whatCannotBeStartedIsNamed() {
        let error = #expect(throws: SpawnError.self) { try ChildProcess("/nonexistent/program") }
        #expect(error?.description.hasPrefix("/nonexistent/program cannot be started: ") == true)
    }

    @Test func oldLinesAreForgottenAndNewOnesAreFoundAllTheSame() async throws {
        let heard = Monitor<[String]>([])
        let process = try shell("for i in 1 2 3 4 5; do echo line $i; done; read rest; echo over") { options in
            options.linesMaximum = 2
            options.onLine = { line in heard.change { $0.append(line) } }
        }
        #expect(await process.line { $0 == "line 5" } == "line 5")
        #expect(process.lines == ["line 4", "line 5"])
        process.send("")
        #expect(await process.line { $0 == "over" } == "over")
        #expect(await process.end() == .exited(0))
        #expect(heard.withLock { $0 } == (1...5).map { "line \($0)" } + ["over"])
    }

    /// A child that never ends its line must not fill the memory of this process.
    @Test func aLineWithoutEndIsCut() async throws {
        let process = try shell("head -c 300000 /dev/zero | tr '\\0' x")
        #expect(await process.end() == .exited(0))
        #expect(process.lines.count > 1)
        #expect(process.lines.map(\.utf8.count).reduce(0, +) == 300_000)
    }

    @Test func aGroupOfItsOwnHearsNothingOfOurs() async throws {
        let process = try shell("echo ready; read rest") { $0.leadsGroup = true }
        #expect(await process.line { $0 == "ready" } != nil)
        #expect(getpgid(process.processID) == process.processID)
        let other = try shell("echo ready; read rest")
        #expect(getpgid(other.processID) == getpgrp())
    }

    /// A lock on an inherited descriptor is held until the child has exited too.
    @Test func aLockIsHeldForAsLongAsTheChild() async throws {
        let folder = TemporaryDirectory()
        let file = folder.write("lock", content: "")
        let descriptor = open(file, O_RDWR | O_CLOEXEC)
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        let process = try shell("echo ready; exec cat") { $0.inherited = descriptor }
        #expect(await process.line { $0 == "ready" } != nil)
        close(descriptor)
        let other = open(file, O_RDWR | O_CLOEXEC)
        defer { close(other) }
        #expect(flock(other, LOCK_EX | LOCK_NB) != 0)
        process.signal(SIGKILL)
        #expect(await process.ended() == .signalled(SIGKILL))
        // A child of another test that was forked before this close, and has not begun its program, holds it too.
        #expect(try await waitUntil(within: .hangLimit) { flock(other, LOCK_EX | LOCK_NB) == 0 })
    }

    /// The thread that started the child must not count as its parent.
    @Test func aChildThatDiesWithUsOutlivesWhoStartedIt() async throws {
        let process = try await blocking {
            Result { try shell("echo ready; read rest; exit 5") { $0.diesWithParent = true } }
        }.get()
        #expect(await process.line { $0 == "ready" } != nil)
        process.send("")
        #expect(await process.ended() == .exited(5))
    }
}
