package import ServiceKit

extension ChildProcess {
    /// Starts a service with only these settings; none are inherited from the test run.
    package static func service(
        _ name: String, settings: [String: String], arguments: [String] = []
    ) throws -> ChildProcess {
        let inherited = EnvironmentReader.processEnvironment().filter { !$0.key.hasPrefix("CARILLON") }
        var options = Options()
        options.onLine = CrashReport(of: name).take
        return try ChildProcess(
            builtExecutable(name), arguments: arguments, environment: inherited.merging(settings) { $1 },
            options: options)
    }
}
