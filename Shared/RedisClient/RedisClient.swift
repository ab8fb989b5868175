package import ServiceKit
import Synchronization

/// Sends commands to Redis over a few connections, each with its own thread, so that commands of many tasks are sent
/// together. Every command completes: with its reply, or with an error that tells whether it may have been executed.
/// Cancelling a task does not cancel its command; the deadline bounds the wait.
package final class RedisClient: Sendable {
    /// How much longer than a command's deadline a thread waits for its result: the connection's thread may be delayed.
    private static let threadDelay = Duration.seconds(5)
    private static let unanswered = RedisError(.unknown, message: "no answer from the connection's thread in time")

    private let configuration: RedisConfiguration
    private let time: any TimeSource
    let topology: Topology

    enum Topology {
        case standalone(RedisNode)
        case cluster(RedisClusterRouter)
    }

    package init(
        _ configuration: RedisConfiguration, log: Log, metrics: Metrics, time: any TimeSource = SystemTimeSource(),
        random: any RandomSource = SystemRandomSource()
    ) {
        self.configuration = configuration
        self.time = time
        let durations = metrics.histogram(.redisCommandDuration)
        let reconnects = metrics.counter(.redisReconnects)
        @Sendable func makeNode(_ address: RedisConfiguration.Address) -> RedisNode {
            let context = RedisConnectionContext(
                address: address, configuration: configuration, log: log, durations: durations,
                reconnects: reconnects, time: time, random: random)
            return RedisNode(context, connections: configuration.connections)
        }
        topology =
            configuration.isCluster
            ? .cluster(RedisClusterRouter(configuration, time: time, makeNode: makeNode))
            : .standalone(makeNode(configuration.addresses[0]))
    }

    /// The base of all other calls. `completion` is called exactly once, on the connection's thread or, if the command
    /// is refused, on the caller's; it must not block.
    package func submit(
        _ command: RedisCommand, deadline: Duration? = nil,
        completion: @escaping @Sendable (Result<RedisValue, RedisError>) -> Void
    ) {
        let now = time.uptime
        submit([
            RedisPending(
                command: command, submitted: now, deadline: now + (deadline ?? configuration.commandDeadline),
                completion: completion)
        ])
    }

    package func send(
        _ command: RedisCommand, deadline: Duration? = nil
    ) async throws(RedisError) -> RedisValue {
        try await withCheckedContinuation { continuation in
            submit(command, deadline: deadline) { continuation.resume(returning: $0) }
        }.get()
    }

    /// One pipeline: executed and answered in order, but not as a transaction. In a cluster the order holds between
    /// commands of one server, unless one is redirected.
    package func send(
        _ commands: [RedisCommand], deadline: Duration? = nil
    ) async -> [Result<RedisValue, RedisError>] {
        guard !commands.isEmpty else { return [] }
        return await withCheckedContinuation { continuation in
            submit(commands, deadline: deadline ?? configuration.commandDeadline) { continuation.resume(returning: $0) }
        }
    }

    /// Blocks the calling thread; for native threads only, never for a task.
    package func wait(_ command: RedisCommand, deadline: Duration? = nil) -> Result<RedisValue, RedisError> {
        let limit = deadline ?? configuration.commandDeadline
        let answer = Monitor<Result<RedisValue, RedisError>?>(nil)
        submit(command, deadline: limit) { result in answer.change { $0 = result } }
        return answer.wait(timeout: limit + RedisClient.threadDelay) { $0 } ?? .failure(RedisClient.unanswered)
    }

    /// One pipeline. Blocks the calling thread; for native threads only, never for a task.
    package func wait(_ commands: [RedisCommand]) -> [Result<RedisValue, RedisError>] {
        guard !commands.isEmpty else { return [] }
        let limit = configuration.commandDeadline
        let answers = Monitor<[Result<RedisValue, RedisError>]?>(nil)
        submit(commands, deadline: limit) { results in answers.change { $0 = results } }
        return answers.wait(timeout: limit + RedisClient.threadDelay) { $0 }
            ?? commands.map { _ in .failure(RedisClient.unanswered) }
    }

    /// Runs the script by its digest; a server that does not have it yet gets the whole source.
    package func run(
        _ script: RedisScript, keys: [RedisArgument], arguments: [RedisArgument], deadline: Duration? = nil
    ) async throws(RedisError) -> RedisValue {
        do throws(RedisError) {
            return try await send(script.command(keys: keys, arguments: arguments), deadline: deadline)
        } catch {
            guard error.code == .reply("NOSCRIPT") else { throw error }
            return try await send(script.wholeCommand(keys: keys, arguments: arguments), deadline: deadline)
        }
    }

    /// For `Health.addReadinessCheck`.
    package func readiness() -> Health.Readiness {
        obstacle.map { .notReady($0.description) } ?? .ready
    }

    /// Refuses new commands, completes the others, and ends the threads. Commands unanswered at the limit fail.
    package func close(within limit: Duration = .seconds(5)) async {
        switch topology {
        case .standalone(let node): await node.close(within: limit, time: time)
        case .cluster(let router): await router.close(within: limit)
        }
    }

    private var obstacle: RedisError? {
        switch topology {
        case .standalone(let node): node.obstacle
        case .cluster(let router): router.obstacle
        }
    }

    private func submit(
        _ commands: [RedisCommand], deadline: Duration,
        completion: @escaping @Sendable ([Result<RedisValue, RedisError>]) -> Void
    ) {
        let collector = RedisCollector(count: commands.count, whenComplete: completion)
        let now = time.uptime
        submit(
            commands.indices.map { index in
                RedisPending(command: commands[index], submitted: now, deadline: now + deadline) {
                    collector.set($0, at: index)
                }
            })
    }

    private func submit(_ commands: [RedisPending]) {
        switch topology {
        case .standalone(let node): node.submitOrRefuse(commands)
        case .cluster(let router): router.submit(commands)
        }
    }
}
