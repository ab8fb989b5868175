import Glibc
package import ServiceKit

/// Answers `--help` and `--version`, and rejects other arguments: services are configured by their environment.
package struct CommandLineText {
    private let service: String
    private let purpose: String
    private let variables: [EnvironmentReader.Variable]

    package init(service: String, purpose: String, variables: [EnvironmentReader.Variable]) {
        self.service = service
        self.purpose = purpose
        self.variables = variables
    }

    /// Returns if the service should run; otherwise prints and ends the process.
    package func answer(_ arguments: [String]) {
        switch arguments.dropFirst().first {
        case nil: return
        case "--help", "-h":
            print(help)
            exit(0)
        case "--version":
            print("\(service) \(CarillonVersion.current)")
            exit(0)
        case .some(let unknown):
            let argument = Redaction.redact(unknown)
            StandardError.print(
                "\(service): unknown argument \(argument); settings come from the environment, "
                    + "see \(service) --help")
            exit(ExitCode.usage)
        }
    }

    private var help: String {
        var text = "\(service): \(purpose)\n\nUsage: \(service) [--help | --version]\n\nEnvironment variables:\n"
        for variable in variables {
            text += "\n  \(variable.name)\n"
            text += "      \(variable.meaning)\n"
            text += "      Default: \(variable.defaultText.isEmpty ? "none" : variable.defaultText)\n"
        }
        return text
    }
}
