import Bus
import RegistryLog
import ServiceHost
import ServiceKit
import Store

struct Rebuild: Command {
    static let declaration = CommandDeclaration(
        "rebuild",
        purpose: "fills an empty or doubtful Redis again from Kafka: the registry, and the tasks that were open",
        options: [yes, .bus],
        notes: """
            For Kafka, where the topic is the truth and Redis can be filled from it: after Redis lost its data, after it came
            back with older data, or after the topic itself was replaced. What Redis holds as registry is removed first.
            Services may run meanwhile; they answer 503 and target nobody until the end, and go on by themselves.

            Where services have noticed that Redis came back with older data, its ledgers and retries are removed as well.
            Tasks that were open and whose ledger is gone are recovered before the registry is ready. One of which any device
            was on its way is ended: devices end as their results say, and as unknown where there is none. One that nobody had
            begun is resolved as if it had just come. Nothing is sent a second time.

            A rebuild that was cut off is run again, and starts over. Of two at once the later one counts.
            """)

    private static let yes = CommandOption(
        "--yes", meaning: "Do not ask, even where Redis holds a registry that is ready.")

    private let isAssured: Bool

    init(_ arguments: CommandArguments) throws(UsageError) {
        isAssured = arguments.has(Rebuild.yes)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        guard try context.settings().bus.kafka != nil else {
            throw UsageError(
                "on the embedded bus nothing can be rebuilt: Redis with its append-only file is itself the truth; bring "
                    + "that file or a copy of it back instead")
        }
        return try await context.withBus { bus in
            try await context.withRegistry { registry, stores in
                try await run(on: bus, registry: registry, stores: stores, terminal: context.terminal)
            }
        }
    }

    func run(
        on bus: any Bus, registry: any RegistryMaintenance, stores: RecoveryStores, terminal: any Terminal
    ) async throws -> Int32 {
        guard try await isConfirmed(registry, terminal: terminal) else {
            terminal.complain("nothing was rebuilt")
            return ExitCode.failure
        }
        let environment = WorkerEnvironment(log: Log(service: "carillon", level: .warning, sink: StandardErrorSink()))
        var report = RebuildReport(terminal, time: environment.time)
        let rebuild = RegistryRebuild(bus: bus, maintenance: registry, environment: environment)
        let recovery = TaskRecovery(bus: bus, stores: stores, environment: environment)
        var summary = RecoverySummary()
        let progress = try await rebuild.run {
            report.take($0)
        } beforeReady: {
            if try await stores.doubt.isDoubtful() { try await stores.doubt.removeWork() }
            summary = try await recovery.run { report.take($0) }
            try await stores.doubt.trust()
        }
        report.end(progress)
        report.end(summary)
        return 0
    }

    /// A registry that works is not thrown away by a slip of the hand.
    private func isConfirmed(
        _ registry: any RegistryMaintenance, terminal: any Terminal
    ) async throws -> Bool {
        guard !isAssured, try await registry.state() == .ready else { return true }
        let question = "Redis holds a registry that is ready. Remove it and fill it again from the log?"
        guard let answer = await terminal.confirm(question) else {
            throw UsageError("Redis holds a registry that is ready; --yes rebuilds it without asking")
        }
        return answer
    }
}
