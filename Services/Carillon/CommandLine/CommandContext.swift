import Apps
import Bus
import ServiceHost
import ServiceKit

/// Environment of a command: a terminal, and the variables that select the bus, the apps and the API.
struct CommandContext: Sendable {
    let terminal: any Terminal
    private(set) var variables: [String: String]
    /// Path by which this command was invoked, for printed lines that users paste.
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

    /// Opens the bus for the duration of `body`.
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

    /// The selected bus, and the log for its library.
    func settings() throws(ConfigurationError) -> (bus: BusSelection, log: Log) {
        var reader = EnvironmentReader(variables)
        let settings = CommandContext.read(&reader)
        try reader.finish()
        return settings
    }

    /// Location of the apps; the commands about apps need no bus.
    func apps() throws(ConfigurationError) -> AppsConfiguration {
        var reader = EnvironmentReader(variables)
        let apps = AppsConfiguration(environment: &reader, reading: Set(AppSecret.allCases))
        try reader.finish()
        return apps
    }

    /// A warning for each variable that no command reads. Variables of services are ignored.
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
    /// For a process that exposes neither metrics nor health.
    init(log: Log) {
        let time = SystemTimeSource()
        self.init(time: time, random: SystemRandomSource(), log: log, metrics: Metrics(), health: Health(time: time))
    }
}
