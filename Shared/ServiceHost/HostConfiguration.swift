import HTTPServer
package import ServiceKit

/// The settings common to all services.
package struct HostConfiguration: Sendable {
    package var logLevel: LogLevel
    package var drainDeadline: Duration
    package var bus: BusSelection
    let admin: HTTPServerConfiguration

    package init(environment: inout EnvironmentReader) {
        logLevel = environment.parse(
            "CARILLON_LOG_LEVEL", default: .info, text: LogLevel.info.name, meaning: "Minimum level of log lines.",
            expected: LogLevel.allCases.map(\.name).joined(separator: ", "), convert: LogLevel.init(name:))
        drainDeadline = environment.duration(
            "CARILLON_DRAIN_DEADLINE", default: .seconds(30), in: .zero ... .seconds(3_600),
            meaning: "Time after SIGTERM to finish messages in work; unfinished ones are delivered again.")
        var defaults = HTTPServerConfiguration()
        defaults.port = 9_464
        defaults.connectionsMaximum = 64
        admin = HTTPServerConfiguration(environment: &environment, prefix: "CARILLON_ADMIN", defaults: defaults)
        bus = BusSelection(environment: &environment)
    }
}
