import ServiceHost

/// One row of the table of exit codes in the overview, the manual page and the documentation.
package struct ExitCodeMeaning: Sendable, Equatable {
    package let code: Int32
    /// The commands that return it, such as `watch, push --watch`; nil for all of them.
    package let commands: String?
    package let meaning: String

    package init(_ code: Int32, of commands: String? = nil, meaning: String) {
        self.code = code
        self.commands = commands
        self.meaning = meaning
    }

    package var text: String { commands.map { "\($0): \(meaning)" } ?? meaning }

    /// Those of every command.
    package static let common = [
        ExitCodeMeaning(0, meaning: "success"),
        ExitCodeMeaning(ExitCode.failure, meaning: "failure"),
        ExitCodeMeaning(ExitCode.usage, meaning: "invalid command line"),
        ExitCodeMeaning(ExitCode.configuration, meaning: "invalid environment"),
    ]
}
