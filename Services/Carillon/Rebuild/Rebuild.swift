import Bus
import CommandKit
import RegistryLog
import ServiceHost
import ServiceKit
import Store

struct Rebuild: Command {
    /// What was filled may be lost again.
    struct LossError: Error, CustomStringConvertible {
        let description = "Redis came back with older data during the rebuild: run `carillon rebuild` again"
    }

    static let declaration = CommandDeclaration(
        "rebuild",
        purpose: "rebuild the registry and the open tasks in Redis from Kafka",
        options: [yes, .bus],
        notes: """
            Requires Kafka, where the topic is the source of truth. Run it after Redis lost its data, after Redis came
            back with older data, or after the topic itself was replaced. The registry in Redis is deleted first.
            Services may run meanwhile: they answer 503 and resolve no audience until the end, then resume on their own.

            If services have detected that Redis came back with older data, its ledgers and retries are deleted as well.
            Open tasks whose ledger is lost are recovered before the registry is ready. A task with any device in
            dispatch is closed: devices get the outcome of their result, or unknown if there is none. A task that was
            not begun is resolved as if newly accepted. Nothing is sent twice.

            Run an interrupted rebuild again; it starts over. It starts over by itself, twice at most, if Redis came back
            with older data meanwhile. Of two concurrent rebuilds the later one counts.
            """)

    /// Services may notice a loss only after the rebuild has begun, within a second.
    private static let attemptsMaximum = 3

    private static let yes = CommandOption(
        "--yes", meaning: "Do not ask for confirmation, even if Redis holds a ready registry")

    private let isAssured: Bool

    init(_ arguments: CommandArguments) throws(UsageError) {
        isAssured = arguments.has(Rebuild.yes)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        guard try context.settings().bus.kafka != nil else {
            throw UsageError(
                "a rebuild requires Kafka: with the embedded bus, Redis and its append-only file are the source of "
                    + "truth; restore that file or a copy of it")
        }
        return try await context.withBus { bus in
            try await context.withRegistry { registry, stores in
                let environment = WorkerEnvironment(
                    log: Log(service: "carillon", level: .warning, sink: StandardErrorSink()))
                return try await run(
                    on: bus, registry: registry, stores: stores, terminal: context.terminal, environment: environment)
            }
        }
    }

    func run(
        on bus: any Bus, registry: any RegistryMaintenance, stores: RecoveryStores, terminal: any Terminal,
        environment: WorkerEnvironment
    ) async throws -> Int32 {
        guard try await isConfirmed(registry, terminal: terminal) else {
            terminal.complain("nothing was rebuilt")
            return ExitCode.failure
        }
        for _ in 1..<Rebuild.attemptsMaximum {
            do {
                return try await fill(
                    from: bus, registry: registry, stores: stores, terminal: terminal, environment: environment)
            } catch is LossError {
                terminal.complain("Redis came back with older data, or was found to have; the rebuild starts over")
            }
        }
        return try await fill(
            from: bus, registry: registry, stores: stores, terminal: terminal, environment: environment)
    }

    private func fill(
        from bus: any Bus, registry: any RegistryMaintenance, stores: RecoveryStores, terminal: any Terminal,
        environment: WorkerEnvironment
    ) async throws -> Int32 {
        var report = RebuildReport(terminal, time: environment.time)
        let rebuild = RegistryRebuild(bus: bus, maintenance: registry, environment: environment)
        let recovery = TaskRecovery(bus: bus, stores: stores, environment: environment)
        var summary = RecoverySummary()
        let epoch = try await stores.doubt.currentEpoch()
        let progress = try await rebuild.run {
            report.take($0)
        } beforeReady: { refill in
            var publications = PublicationRecovery(bus: bus, refill: refill, environment: environment)
            try await publications.run()
            if epoch.isDoubtful { try await stores.doubt.removeWork() }
            summary = try await recovery.run { report.take($0) }
            guard try await stores.doubt.trust(in: epoch) else { throw LossError() }
        }
        report.end(progress)
        report.end(summary)
        return 0
    }

    /// Protects a working registry from accidental deletion.
    private func isConfirmed(
        _ registry: any RegistryMaintenance, terminal: any Terminal
    ) async throws -> Bool {
        guard !isAssured, try await registry.state() == .ready else { return true }
        let question = "Redis holds a ready registry. Delete it and rebuild it from the log?"
        guard let answer = await terminal.confirm(question) else {
            throw UsageError("Redis holds a ready registry; use --yes to rebuild it without confirmation")
        }
        return answer
    }
}
