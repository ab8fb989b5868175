package import ServiceKit

extension ChildProcess {
    /// Starts a shell in this folder that runs lines as pasted and exits at the first that fails. Its only settings are
    /// `settings`; none are inherited from the test run.
    package static func shell(
        _ lines: String, in folder: String, settings: [String: String] = [:]
    ) throws -> ChildProcess {
        let inherited = EnvironmentReader.processEnvironment().filter { !$0.key.hasPrefix("CARILLON") }
        return try ChildProcess(
            "bash", arguments: ["-ec", "set -o pipefail; cd '\(folder)'\n\(lines)"],
            environment: inherited.merging(settings) { $1 })
    }
}
