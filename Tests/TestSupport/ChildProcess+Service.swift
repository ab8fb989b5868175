package import ServiceKit

extension ChildProcess {
    /// One of our programs with these settings, and none that the test run happens to have.
    package static func service(
        _ name: String, _ settings: [String: String], _ arguments: [String] = []
    ) throws -> ChildProcess {
        let inherited = EnvironmentReader.processEnvironment().filter { !$0.key.hasPrefix("CARILLON") }
        return try ChildProcess(builtExecutable(name), arguments, environment: inherited.merging(settings) { $1 })
    }
}
