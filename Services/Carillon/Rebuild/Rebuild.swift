import Bus
import RegistryLog
import ServiceHost
import ServiceKit
import Store

struct Rebuild: Command {
    static let declaration = CommandDeclaration(
        "rebuild", "fills an empty or doubtful registry in Redis again from Kafka's registry topic",
        options: [yes, .bus],
        notes: """
            For Kafka, where the topic is the truth and Redis can be filled from it: after Redis lost its data, after it came
            back with older data, or after the topic itself was replaced. What Redis holds as registry is removed first.
            Services may run meanwhile; they answer 503 and target nobody until the end, and go on by themselves.

            A rebuild that was cut off is run again, and starts over. Of two at once the later one counts.
            """)

    private static let yes = CommandOption("--yes", "Do not ask, even where Redis holds a registry that is ready.")

    private let isAssured: Bool

    init(_ arguments: CommandArguments) throws(UsageError) {
        isAssured = arguments.has(Rebuild.yes)
    }

    func run(in surroundings: Surroundings) async throws -> Int32 {
        guard try surroundings.settings().bus.kafka != nil else {
            throw UsageError(
                "on the embedded bus nothing can be rebuilt: Redis with its append-only file is itself the truth; bring "
                    + "that file or a copy of it back instead")
        }
        return try await surroundings.withBus { bus in
            try await surroundings.withRegistry { registry in
                try await run(on: bus, registry, surroundings.console)
            }
        }
    }

    func run(on bus: any Bus, _ registry: any RegistryMaintenance, _ console: any Console) async throws -> Int32 {
        guard try await isConfirmed(registry, console) else {
            console.complain("nothing was rebuilt")
            return ExitCode.failure
        }
        let environment = WorkerEnvironment(log: Log(service: "carillon", level: .warning, sink: StandardErrorSink()))
        var report = RebuildReport(console, time: environment.time)
        let rebuild = RegistryRebuild(bus: bus, maintenance: registry, environment: environment)
        report.end(try await rebuild.run { report.take($0) })
        return 0
    }

    /// A registry that works is not thrown away by a slip of the hand.
    private func isConfirmed(
        _ registry: any RegistryMaintenance, _ console: any Console
    ) async throws -> Bool {
        guard !isAssured, try await registry.state() == .ready else { return true }
        let question = "Redis holds a registry that is ready. Remove it and fill it again from the log?"
        guard let answer = await console.confirm(question) else {
            throw UsageError("Redis holds a registry that is ready; --yes rebuilds it without asking")
        }
        return answer
    }
}
