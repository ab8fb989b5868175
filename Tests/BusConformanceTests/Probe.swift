import ServiceKit
import TestSupport
import Topics

/// Starts a consumer in its own process.
enum Probe {
    static func spawn(
        _ topic: Topic<OpaqueMessage>, group: String, settings: [String: String]
    ) throws -> ChildProcess {
        var environment = EnvironmentReader.processEnvironment().filter { !$0.key.hasPrefix("CARILLON") }
        environment.merge(settings) { $1 }
        environment["CARILLON_ADMIN_PORT"] = "0"
        // The backtrace of a probe that traps on purpose takes seconds and is of no use.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        environment["PROBE_TOPIC"] = topic.declaration.name
        environment["PROBE_PARTITIONS"] = "\(topic.declaration.partitions.embedded)"
        environment["PROBE_GROUP"] = group
        return try ChildProcess(builtExecutable("BusProbe"), environment: environment)
    }
}
