package import Glibc
import Synchronization

/// A child process: its output line by line, signals, and its end. Killed when the last reference is released, so that
/// a failed test or benchmark leaves nothing running.
package final class ChildProcess: Sendable {
    package enum Ending: Equatable, Sendable {
        case exited(Int32)
        case signalled(Int32)
    }

    /// Optional behavior of a child process.
    package struct Options: Sendable {
        /// Kills the child when this process ends in any way; `setpriv` of util-linux arranges it.
        package var diesWithParent = false
        /// A process group of its own does not receive the terminal's Ctrl-C: this process has to pass it on.
        package var leadsGroup = false
        /// Becomes the child's descriptor 3. A lock on it is held until the child has ended too.
        package var inherited: Int32?
        /// Older lines are dropped.
        package var linesMaximum = Int.max
        /// Called with each line, on the thread that reads them.
        package var onLine: (@Sendable (String) -> Void)?

        package init() {}
    }

    private struct State {
        var lines: [String] = []
        var forgotten = 0
        var isOutputOver = false
        var ending: Ending?
        var input: Int32?
    }

    /// A longer line is split into pieces of this size.
    private static let lineBytesMaximum = 64 << 10

    package let processID: pid_t
    private let state: Monitor<State>
    private let hasEnded = OneTimeEvent()

    /// Standard output and standard error are merged; `environment`, if given, replaces the inherited one.
    package init(
        _ path: String, arguments: [String] = [], environment: [String: String]? = nil, options: Options = Options()
    ) throws {
        let spawned = Monitor<Result<Spawned, SpawnError>?>(nil)
        let state = Monitor(State())
        // The thread that waits for the child must also start it: the kernel treats the end of the thread that started
        // a child as the end of the parent, and threads of the concurrency runtime come and go.
        NativeThread(name: "child-wait") { [hasEnded] in
            let result = ChildProcess.spawning.withLock { _ in
                ChildProcess.spawn(
                    path, arguments: arguments, environment: environment ?? EnvironmentReader.processEnvironment(),
                    options: options)
            }
            spawned.change { $0 = result }
            guard case .success(let child) = result else { return }
            ChildProcess.awaitEnd(of: child.pid, into: state)
            hasEnded.happen()
        }.detach()
        guard let result = spawned.wait(timeout: .seconds(60), until: { $0 }) else {
            throw SpawnError(path, status: ETIMEDOUT)
        }
        let child = try result.get()
        processID = child.pid
        self.state = state
        state.change { $0.input = child.input }
        NativeThread(name: "child-output") { ChildProcess.read(child.output, into: state, options: options) }.detach()
    }

    private struct Spawned {
        let pid: pid_t
        let input: Int32
        let output: Int32
    }

    /// One spawn at a time: between `pipe` and the close-on-exec flag another child would inherit the descriptors, and
    /// the end of output would never be seen.
    private static let spawning = Mutex(())

    private static func spawn(
        _ path: String, arguments: [String], environment: [String: String], options: Options
    ) -> Result<Spawned, SpawnError> {
        var output: [Int32] = [0, 0]
        var input: [Int32] = [0, 0]
        guard pipe(&output) == 0, pipe(&input) == 0 else { return .failure(SpawnError(path, status: errno)) }
        for descriptor in output + input { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output[1], STDERR_FILENO)
        if let inherited = options.inherited { posix_spawn_file_actions_adddup2(&actions, inherited, 3) }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        ChildProcess.set(&attributes, leadsGroup: options.leadsGroup)

        let words = (options.diesWithParent ? dyingWithParent : []) + [path] + arguments
        var argv = words.map { strdup($0) } + [nil]
        var envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        var pid = pid_t()
        let status = posix_spawnp(&pid, words[0], &actions, &attributes, &argv, &envp)
        close(output[1])
        close(input[0])
        guard status == 0 else {
            close(output[0])
            close(input[1])
            return .failure(SpawnError(words[0], status: status))
        }
        return .success(Spawned(pid: pid, input: input[1], output: output[0]))
    }

    /// A parent that ended before the signal was requested is never reported: such a child sees another parent.
    private static var dyingWithParent: [String] {
        ["setpriv", "--pdeathsig", "KILL", "--", "/bin/sh", "-c", #"[ "$PPID" = "$0" ] && exec "$@""#, "\(getpid())"]
    }

    /// A child inherits the signals its parent ignores and those the spawning thread blocks. Threads of the concurrency
    /// runtime block nearly all signals, so the child could not be stopped.
    private static func set(_ attributes: inout posix_spawnattr_t, leadsGroup: Bool) {
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let group = leadsGroup ? POSIX_SPAWN_SETPGROUP : 0
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group))
    }

    deinit {
        let input = state.withLock { state -> Int32? in
            if state.ending == nil { kill(processID, SIGKILL) }
            defer { state.input = nil }
            return state.input
        }
        if let input { close(input) }
    }

    /// All output lines so far, up to the limit.
    package var lines: [String] { state.withLock { $0.lines } }

    /// Nil while the process runs.
    package var ending: Ending? { state.withLock { $0.ending } }

    package func signal(_ number: Int32) {
        state.withLock { state in
            // After reaping, the id may belong to another process.
            if state.ending == nil { kill(processID, number) }
        }
    }

    /// Writes a line to the child's standard input.
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

    /// The first line, past or future, that matches; nil if the process ends or the limit passes without one.
    @discardableResult
    package func line(
        within limit: Duration = .seconds(120), from first: Int = 0, where matches: @escaping @Sendable (String) -> Bool
    ) async -> String? {
        await onNativeThread("child-line") { [state] in
            var next = first
            return state.wait(timeout: limit) { state -> String?? in
                next = max(next, state.forgotten)
                while next - state.forgotten < state.lines.count {
                    let line = state.lines[next - state.forgotten]
                    next += 1
                    if matches(line) { return .some(line) }
                }
                return state.isOutputOver ? .some(nil) : nil
            } ?? nil
        }
    }

    /// Waits for the end and the last lines; nil if the limit passes first.
    package func end(within limit: Duration = .seconds(120)) async -> Ending? {
        await onNativeThread("child-end") { [state] in
            let ending = state.wait(timeout: limit) { $0.ending }
            // Bounded, since a grandchild may keep the pipe open.
            if ending != nil { _ = state.wait(timeout: .seconds(2)) { $0.isOutputOver ? true : nil } }
            return ending
        }
    }

    /// Waits without limit for the end; nil if the task is cancelled first.
    package func ended() async -> Ending? {
        await hasEnded.wait()
        return ending
    }

    private static func read(_ descriptor: Int32, into state: Monitor<State>, options: Options) {
        func take(_ lines: [String]) {
            state.change { state in
                state.lines += lines
                let surplus = max(0, state.lines.count - options.linesMaximum)
                state.lines.removeFirst(surplus)
                state.forgotten += surplus
            }
            if let onLine = options.onLine { lines.forEach(onLine) }
        }

        var pending: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { break }
            pending += buffer[..<count]
            var lines: [String] = []
            while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                lines.append(OutsideText.replacing(pending[..<end]))
                pending.removeSubrange(...end)
            }
            if pending.count > lineBytesMaximum {
                lines.append(OutsideText.replacing(pending))
                pending = []
            }
            take(lines)
        }
        close(descriptor)
        if !pending.isEmpty { take([OutsideText.replacing(pending)]) }
        state.change { $0.isOutputOver = true }
    }

    private static func awaitEnd(of pid: pid_t, into state: Monitor<State>) {
        // Waits without reaping, so that the id stays valid until the ending is recorded under the lock.
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

    init(_ path: String, status: Int32) {
        description = "\(path) cannot be started: \(String(cString: strerror(status)))"
    }
}
