import Glibc
package import ServiceKit

/// Answers `--help` and `--version`, and rejects other arguments: services are configured by their environment.
package struct CommandLineText {
    private let service: String
    private let purpose: String
    /// Of a service that answers `--check`.
    private let checkOperands: [String]?
    private let variables: [EnvironmentReader.Variable]

    package init(
        service: String, purpose: String, checkOperands: [String]? = nil, variables: [EnvironmentReader.Variable]
    ) {
        self.service = service
        self.purpose = purpose
        self.checkOperands = checkOperands
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
        let check = checkOperands.map { " | \(ServiceCheckOption.name) \($0.joined(separator: " "))" } ?? ""
        var text =
            "\(service): \(purpose)\n\nUsage: \(service) [--help | --version\(check)]\n\nEnvironment variables:\n"
        for variable in variables {
            text += "\n  \(variable.name)\n"
            text += "      \(variable.meaning)\n"
            text += "      Default: \(variable.defaultText.isEmpty ? "none" : variable.defaultText)\n"
        }
        return text
    }
}
