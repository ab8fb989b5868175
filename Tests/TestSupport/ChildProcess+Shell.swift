package import ServiceKit

extension ChildProcess {
    /// A shell in this folder that runs lines as they are pasted, and ends with the first that fails. It has none of the
    /// settings that the test run happens to have, but those in `settings`.
    package static func shell(
        _ lines: String, in folder: String, settings: [String: String] = [:]
    ) throws -> ChildProcess {
        let inherited = EnvironmentReader.processEnvironment().filter { !$0.key.hasPrefix("CARILLON") }
        return try ChildProcess(
            "bash", arguments: ["-ec", "set -o pipefail; cd '\(folder)'\n\(lines)"],
            environment: inherited.merging(settings) { $1 })
    }
}
