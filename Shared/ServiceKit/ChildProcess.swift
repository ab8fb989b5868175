package import Glibc
import Synchronization

/// A process that was started from here: its output line by line, signals, its end. Killed when the last reference goes,
/// so that a failed test or benchmark leaves nothing running.
package final class ChildProcess: Sendable {
    package enum Ending: Equatable, Sendable {
        case exited(Int32)
        case signalled(Int32)
    }

    private struct State {
        var lines: [String] = []
        var isOutputOver = false
        var ending: Ending?
        var input: Int32?
    }

    package let processID: pid_t
    private let state: Monitor<State>

    /// Standard output and standard error are read together; `environment` replaces the inherited one when given.
    package init(_ path: String, _ arguments: [String] = [], environment: [String: String]? = nil) throws {
        let (pid, input, output) = try ChildProcess.spawning.withLock { _ in
            try ChildProcess.spawn(path, arguments, environment ?? EnvironmentReader.processEnvironment())
        }
        processID = pid
        state = Monitor(State(input: input))
        NativeThread(name: "child-output") { [state] in ChildProcess.read(output, into: state) }.detach()
        NativeThread(name: "child-wait") { [state] in ChildProcess.awaitEnd(of: pid, into: state) }.detach()
    }

    /// One at a time: between `pipe` and the close-on-exec flag another spawn would inherit the descriptors, and the
    /// end of output would never be seen.
    private static let spawning = Mutex(())

    private static func spawn(
        _ path: String, _ arguments: [String], _ environment: [String: String]
    ) throws -> (pid: pid_t, input: Int32, output: Int32) {
        var output: [Int32] = [0, 0]
        var input: [Int32] = [0, 0]
        guard pipe(&output) == 0, pipe(&input) == 0 else { throw SpawnError(path, errno) }
        for descriptor in output + input { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output[1], STDERR_FILENO)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        ChildProcess.resetSignals(&attributes)

        var argv = ([path] + arguments).map { strdup($0) } + [nil]
        var envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        var pid = pid_t()
        let status = posix_spawnp(&pid, path, &actions, &attributes, &argv, &envp)
        close(output[1])
        close(input[0])
        guard status == 0 else {
            close(output[0])
            close(input[1])
            throw SpawnError(path, status)
        }
        return (pid, input[1], output[0])
    }

    /// A child inherits what its parent ignores and what the spawning thread blocks, and those of the concurrency runtime
    /// block nearly everything: it could not be told to stop.
    private static func resetSignals(_ attributes: inout posix_spawnattr_t) {
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    }

    deinit {
        let input = state.withLock { state -> Int32? in
            if state.ending == nil { kill(processID, SIGKILL) }
            defer { state.input = nil }
            return state.input
        }
        if let input { close(input) }
    }

    /// Everything printed so far.
    package var lines: [String] { state.withLock { $0.lines } }

    /// Nil while it runs.
    package var ending: Ending? { state.withLock { $0.ending } }

    package func signal(_ number: Int32) {
        state.withLock { state in
            // Once it was reaped the id may belong to somebody else.
            if state.ending == nil { kill(processID, number) }
        }
    }

    /// Writes a line to its standard input.
    package func send(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        state.withLock { state in
            guard let input = state.input else { return }
            var written = 0
            while written < bytes.count {
                let count = bytes[written...].withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
                guard count > 0 else { return }
                written += count
            }
        }
    }

    /// The first line, printed already or to come, that matches; nil when it ends or the limit passes without one.
    @discardableResult
    package func line(
        within limit: Duration = .seconds(30), from first: Int = 0, where matches: @escaping @Sendable (String) -> Bool
    ) async -> String? {
        await onNativeThread("child-line") { [state] in
            var next = first
            return state.wait(timeout: limit) { state -> String?? in
                while next < state.lines.count {
                    defer { next += 1 }
                    if matches(state.lines[next]) { return .some(state.lines[next]) }
                }
                return state.isOutputOver ? .some(nil) : nil
            } ?? nil
        }
    }

    /// Waits for its end and its last lines; nil when the limit passes first.
    package func end(within limit: Duration = .seconds(30)) async -> Ending? {
        await onNativeThread("child-end") { [state] in
            let ending = state.wait(timeout: limit) { $0.ending }
            // Bounded, since a child of its own may hold the pipe open for as long as it likes.
            if ending != nil { _ = state.wait(timeout: .seconds(2)) { $0.isOutputOver ? true : nil } }
            return ending
        }
    }

    private static func read(_ descriptor: Int32, into state: Monitor<State>) {
        var pending: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { break }
            pending += buffer[..<count]
            var lines: [String] = []
            while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                lines.append(String(decoding: pending[..<end], as: UTF8.self))
                pending.removeSubrange(...end)
            }
            state.change { $0.lines += lines }
        }
        close(descriptor)
        state.change { state in
            if !pending.isEmpty { state.lines.append(String(decoding: pending, as: UTF8.self)) }
            state.isOutputOver = true
        }
    }

    private static func awaitEnd(of pid: pid_t, into state: Monitor<State>) {
        // Waits without reaping, so that the id stays ours until the ending is recorded under the lock.
        var info = siginfo_t()
        while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) < 0 && errno == EINTR {}
        state.change { state in
            var status: Int32 = 0
            waitpid(pid, &status, 0)
            state.ending = status & 0x7F == 0 ? .exited((status >> 8) & 0xFF) : .signalled(status & 0x7F)
        }
    }
}

package struct SpawnError: Error, CustomStringConvertible {
    package let description: String

    init(_ path: String, _ status: Int32) {
        description = "\(path) could not be started: \(String(cString: strerror(status)))"
    }
}
