import ServiceKit

/// Debian's redis-server on a free port, in its own folder. When the last reference is released, it is stopped and the
/// folder removed.
package final class RedisServer: Sendable {
    package struct Options: Sendable {
        /// Every write is fsynced before it is acknowledged.
        package var isDurable = false
        /// The password of the `default` user.
        package var password: String?
        /// Serves TLS only, with a certificate of this authority for `localhost` and 127.0.0.1.
        package var authority: TestAuthority?
        package var isCluster = false
        /// Further settings as arguments: `["--maxmemory", "64mb"]`.
        package var arguments: [String] = []

        package init() {}
    }

    package let port: UInt16
    package let directory: TemporaryDirectory
    private let options: Options
    private let process: Monitor<ChildProcess>

    package init(_ options: Options = Options()) async throws {
        directory = TemporaryDirectory("redis")
        self.options = options
        // A free port may be taken, for example by an outgoing connection, before the server binds it.
        for attempt in 1... {
            let port = FreePort.next()
            let child = try RedisServer.start(port, directory: directory, options: options)
            let obstacle = await RedisServer.obstacle(child)
            guard let obstacle else {
                self.port = port
                process = Monitor(child)
                return
            }
            guard attempt < 5, obstacle.description.contains("Address already in use") else { throw obstacle }
        }
        preconditionFailure("the loop above returns or throws")
    }

    /// The URL of database 0, without the password.
    package var url: String {
        let scheme = (options.authority == nil ? "redis" : "rediss") + (options.isCluster ? "+cluster" : "")
        return "\(scheme)://127.0.0.1:\(port)"
    }

    /// Simulates a crash: the server cannot write anything more.
    package func kill9() async {
        let current = process.withLock { $0 }
        current.signal(9)
        _ = await current.end()
    }

    package func stop() async {
        let current = process.withLock { $0 }
        current.signal(15)
        _ = await current.end()
    }

    /// Restarts the server on the same port and folder; it must have ended.
    package func restart() async throws {
        let next = try RedisServer.start(port, directory: directory, options: options)
        process.change { $0 = next }
        if let obstacle = await RedisServer.obstacle(next) { throw obstacle }
    }

    /// Simulates a restore from a backup: the server comes back without the writes made by `body`.
    package func goBack(after body: () async throws -> Void) async throws {
        let copy = TemporaryDirectory("redis-copy")
        try await RedisServer.copy(directory.path + "/appendonlydir", into: copy.path)
        try await body()
        await kill9()
        FileTree.remove(directory.path + "/appendonlydir")
        try await RedisServer.copy(copy.path + "/appendonlydir", into: directory.path)
        try await restart()
    }

    private static func copy(_ folder: String, into other: String) async throws {
        let end = await (try ChildProcess("cp", arguments: ["-a", folder, other])).end()
        guard end == .exited(0) else {
            throw SetupError(description: "\(folder) cannot be copied: \(end.map { "\($0)" } ?? "no end")")
        }
    }

    /// Sends a signal such as SIGSTOP or SIGCONT.
    package func signal(_ number: Int32) {
        process.withLock { $0 }.signal(number)
    }

    /// Waits for a line that the server prints or has printed; false when it does not come.
    package func hasPrinted(_ text: String) async -> Bool {
        let current = process.withLock { $0 }
        return await current.line { $0.contains(text) } != nil
    }

    private static func start(
        _ port: UInt16, directory: TemporaryDirectory, options: Options
    ) throws -> ChildProcess {
        var arguments = ["--bind", "127.0.0.1", "--dir", directory.path, "--save", ""]
        if let authority = options.authority {
            arguments += ["--port", "0", "--tls-port", "\(port)", "--tls-auth-clients", "no"]
            arguments += ["--tls-ca-cert-file", authority.authorityFile]
            arguments += ["--tls-cert-file", authority.certificateFile, "--tls-key-file", authority.keyFile]
        } else {
            arguments += ["--port", "\(port)"]
        }
        if options.isDurable { arguments += ["--appendonly", "yes", "--appendfsync", "always"] }
        if let password = options.password { arguments += ["--requirepass", password] }
        if options.isCluster { arguments += ["--cluster-enabled", "yes", "--cluster-node-timeout", "5000"] }
        return try ChildProcess("redis-server", arguments: arguments + options.arguments)
    }

    /// Waits until the server is ready; otherwise returns an error with its output.
    private static func obstacle(_ child: ChildProcess) async -> SetupError? {
        let line = await child.line { $0.contains("Ready to accept connections") }
        return line == nil ? SetupError(description: child.lines.joined(separator: "\n")) : nil
    }
}
