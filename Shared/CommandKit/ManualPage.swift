import ServiceHost
import ServiceKit

/// A file that the commands read or write, for the manual page.
package struct ManualFile: Sendable {
    let path: String
    let meaning: String

    package init(_ path: String, meaning: String) {
        self.path = path
        self.meaning = meaning
    }
}

/// The manual page of a program, made of the same declarations as its help.
struct ManualPage {
    private let tree: CommandTree

    init(_ tree: CommandTree) {
        self.tree = tree
    }

    var text: String {
        let title = tree.name.split(separator: " ").joined(separator: "-")
        let release = "carillon \(CarillonVersion.current)"
        return """
            .TH \(RoffText.escape(title.uppercased())) 1 "" "\(RoffText.escape(release))" "\(RoffText.escape(release))"
            .SH NAME
            \(RoffText.escape(title)) \\- \(RoffText.escape(tree.purpose))
            .SH SYNOPSIS
            \(RoffText.bold(tree.name)) \(RoffText.italic("COMMAND")) [\(RoffText.italic("OPTIONS"))]
            .SH COMMANDS
            \(commands)\(environment)\(files).SH EXIT STATUS
            \(tree.exitCodes.map { RoffText.entry(RoffText.bold("\($0.code)"), meaning: $0.text) }.joined())
            """
    }

    private var commands: String {
        let commands = tree.declarations.map(command).joined()
        let programs = tree.programs.map { program in
            let purpose = "\(program.purpose); see \(tree.name) \(program.word) --help"
            return ".SS \(RoffText.escape("\(tree.name) \(program.word)"))\n\(RoffText.escape(purpose))\n"
        }
        return commands + programs.joined()
    }

    private func command(_ declaration: CommandDeclaration) -> String {
        let words = [tree.name, declaration.name, "[OPTIONS]"] + (declaration.operands.map { [$0] } ?? [])
        let options = (declaration.options + [.help]).map { option in
            let placeholder = option.placeholder.map { " \(RoffText.italic($0))" } ?? ""
            return RoffText.entry(RoffText.bold(option.name) + placeholder, meaning: option.meaning)
        }
        return ".SS \(RoffText.escape(words.joined(separator: " ")))\n\(RoffText.escape(declaration.purpose))\n"
            + options.joined() + RoffText.paragraphs(declaration.notes)
    }

    private var environment: String {
        let variables = tree.variables.flatMap(\.declared).map { variable in
            let fallback = variable.defaultText.isEmpty ? "none" : variable.defaultText
            return RoffText.entry(RoffText.bold(variable.name), meaning: "\(variable.meaning)\nDefault: \(fallback)")
        }
        return variables.isEmpty ? "" : ".SH ENVIRONMENT\n" + variables.joined()
    }

    private var files: String {
        let files = tree.files.map { RoffText.entry(RoffText.bold($0.path), meaning: $0.meaning) }
        return files.isEmpty ? "" : ".SH FILES\n" + files.joined()
    }
}
