package import ServiceKit

/// Environment variables that some of the commands read.
package struct VariableGroup: Sendable {
    /// Completes "Variables of the commands".
    let purpose: String
    let read: @Sendable (inout EnvironmentReader) -> Void

    package init(_ purpose: String, read: @escaping @Sendable (inout EnvironmentReader) -> Void) {
        self.purpose = purpose
        self.read = read
    }

    var declared: [EnvironmentReader.Variable] {
        var reader = EnvironmentReader([:])
        read(&reader)
        return reader.variables
    }

    var help: String {
        let variables = declared.map { variable in
            let fallback = variable.defaultText.isEmpty ? "none" : variable.defaultText
            return "\n  \(variable.name)\n      \(variable.meaning)\n      Default: \(fallback)\n"
        }
        return "Variables of the commands \(purpose):\n" + variables.joined()
    }
}

extension [VariableGroup] {
    /// A warning for each variable that no command reads. Variables of services are ignored.
    func unknownVariables(in variables: [String: String]) -> [String] {
        var reader = EnvironmentReader(variables)
        for group in self { group.read(&reader) }
        return reader.unknownVariables
    }
}
