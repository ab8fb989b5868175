import Apps
import Bus
import ServiceHost
import ServiceKit

/// What a command is run in: a console, and the variables from which the bus is chosen.
struct CommandContext: Sendable {
    let terminal: any Terminal
    private(set) var variables: [String: String]
    /// How this command was called, for lines that are to be pasted.
    let program: String

    init(terminal: any Terminal, variables: [String: String], program: String = "carillon") {
        self.terminal = terminal
        self.variables = variables
        self.program = program
    }

    func choosing(bus url: String?) -> CommandContext {
        var chosen = self
        if let url { chosen.variables["CARILLON_BUS"] = url }
        return chosen
    }

    /// Opens the bus for the time of `body`.
    func withBus<Result: Sendable>(_ body: (any Bus) async throws -> Result) async throws -> Result {
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

    /// Which bus is meant, and the log for what its library has to say.
    func settings() throws(ConfigurationError) -> (bus: BusSelection, log: Log) {
        var reader = EnvironmentReader(variables)
        let settings = CommandContext.read(&reader)
        try reader.finish()
        return settings
    }

    /// Where the apps are; the commands about them need no bus.
    func apps() throws(ConfigurationError) -> AppsConfiguration {
        var reader = EnvironmentReader(variables)
        let apps = AppsConfiguration(environment: &reader, reading: Set(AppSecret.allCases))
        try reader.finish()
        return apps
    }

    /// About variables that no command reads; services have their own.
    var unknownVariables: [String] {
        var reader = EnvironmentReader(variables)
        _ = CommandContext.read(&reader)
        _ = AppsConfiguration(environment: &reader, reading: Set(AppSecret.allCases))
        _ = APIVariables(environment: &reader)
        return reader.unknownVariables
    }

    var environmentHelp: String {
        var bus = EnvironmentReader([:])
        _ = CommandContext.read(&bus)
        var apps = EnvironmentReader([:])
        _ = AppsConfiguration(environment: &apps, reading: Set(AppSecret.allCases))
        var api = EnvironmentReader([:])
        _ = APIVariables(environment: &api)
        return "Variables of the commands that open the bus:\n" + CommandContext.help(bus.variables)
            + "\nVariables of the commands about apps:\n" + CommandContext.help(apps.variables)
            + "\nVariables of the commands about tasks:\n" + CommandContext.help(api.variables)
    }

    private static func help(_ variables: [EnvironmentReader.Variable]) -> String {
        variables.map { variable in
            let fallback = variable.defaultText.isEmpty ? "none" : variable.defaultText
            return "\n  \(variable.name)\n      \(variable.meaning)\n      Default: \(fallback)\n"
        }.joined()
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
    /// Of a process that nobody asks for its metrics or its health.
    init(log: Log) {
        let time = SystemTimeSource()
        self.init(time: time, random: SystemRandomSource(), log: log, metrics: Metrics(), health: Health(time: time))
    }
}
