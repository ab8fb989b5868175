/// All problems found in the environment at start-up.
package struct ConfigurationError: Error, Sendable, CustomStringConvertible {
    package struct Problem: Sendable, Equatable {
        package let variable: String
        package let problem: String
        package let fix: String
    }

    package let problems: [Problem]

    package init(problems: [Problem]) {
        self.problems = problems
    }

    package var description: String {
        problems.map { "\($0.variable): \(Redaction.redact($0.problem)); \($0.fix)" }.joined(separator: "\n")
    }
}
