package import Bus
package import ServiceHost
package import ServiceKit

/// Environment of a command: a terminal, and the variables that select the bus.
package struct CommandContext: Sendable {
    /// Of the commands that open the bus.
    package static let busVariables = VariableGroup("that open the bus") { _ = read(&$0) }

    package let terminal: any Terminal
    package private(set) var variables: [String: String]
    /// Path by which this command was invoked, for printed lines that users paste.
    package let program: String

    package init(terminal: any Terminal, variables: [String: String], program: String = "carillon") {
        self.terminal = terminal
        self.variables = variables
        self.program = program
    }

    package func choosing(bus url: String?) -> CommandContext {
        var chosen = self
        if let url { chosen.variables["CARILLON_BUS"] = url }
        return chosen
    }

    /// Opens the bus for the duration of `body`.
    package func withBus<Result: Sendable>(_ body: (any Bus) async throws -> Result) async throws -> Result {
        let settings = try settings()
        let bus = try settings.bus.open(WorkerEnvironment(log: settings.log))
        do {
            let result = try await body(bus)
            await bus.close()
            return result
        } catch {
            await bus.close()
            throw error
        }
    }

    /// The selected bus, and the log for its library.
    package func settings() throws(ConfigurationError) -> (bus: BusSelection, log: Log) {
        var reader = EnvironmentReader(variables)
        let settings = CommandContext.read(&reader)
        try reader.finish()
        return settings
    }

    private static func read(_ reader: inout EnvironmentReader) -> (bus: BusSelection, log: Log) {
        let level = reader.parse(
            "CARILLON_LOG_LEVEL", default: .error, text: LogLevel.error.name,
            meaning: "Minimum level of log lines, on standard error.",
            expected: LogLevel.allCases.map(\.name).joined(separator: ", "), convert: LogLevel.init(name:))
        let log = Log(service: "carillon", level: level, sink: StandardErrorSink())
        return (BusSelection(environment: &reader), log)
    }
}

extension WorkerEnvironment {
    /// For a process that exposes neither metrics nor health.
    package init(log: Log) {
        let time = SystemTimeSource()
        self.init(time: time, random: SystemRandomSource(), log: log, metrics: Metrics(), health: Health(time: time))
    }
}
