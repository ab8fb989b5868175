import CommandKit
import ServiceKit
import TestSupport
import Testing

@testable import Carillon

/// What is made of the declarations of the commands: the manual page, and the page of the documentation.
@Suite(.timeLimit(.minutes(3))) struct ManualPageTests {
    private func printed(_ words: String...) async -> [String] {
        let terminal = RecordedTerminal()
        #expect(await CommandTree.carillon.run(words, in: CommandContext(terminal: terminal, variables: [:])) == 0)
        return terminal.printed
    }

    private func rendered(_ page: String) async throws -> [String] {
        let process = try ChildProcess("mandoc", arguments: ["-T", "utf8", "-O", "width=200", page])
        await process.line { _ in false }
        #expect(await process.end(within: .hangLimit) == .exited(0))
        // An overstruck character is bold.
        return process.lines.map { line in
            var text = ""
            for character in line {
                if character == "\u{8}" { text = String(text.dropLast()) } else { text.append(character) }
            }
            return text
        }
    }

    @Test func theManualPageHasNoMistake() async throws {
        let folder = TemporaryDirectory("man")
        let page = folder.write("carillon.1", content: await printed("help", "man").joined(separator: "\n") + "\n")
        let lint = try ChildProcess("mandoc", arguments: ["-T", "lint", "-W", "warning", page])
        await lint.line { _ in false }
        // The version has no date.
        #expect(lint.lines.filter { !$0.contains("missing date") } == [])
        let text = try await rendered(page)
        for declaration in CommandTree.carillon.declarations {
            let name = "carillon \(declaration.path.joined(separator: " "))"
            #expect(text.contains { $0.contains(name) }, "\(name)")
            for option in declaration.options { #expect(text.contains { $0.contains(option.name) }) }
        }
        for word in ["CARILLON_BUS", "EXIT STATUS", "carillon-data/up.json", "invalid command line"] {
            #expect(text.contains { $0.contains(word) }, "\(word)")
        }
    }

    /// The overview and the documentation list the same exit codes.
    @Test func exitCodesAreListedEverywhere() async throws {
        let known = CommandTree.carillon.exitCodes
        let page = try #require(SourceTree.text("docs/command-line.md"))
        let rows = MarkdownTable.rows(under: "## Exit codes", inPage: page)
        #expect(rows == known.map { ["\($0.code)", $0.commands.map { "`\($0)`" } ?? "every command", $0.meaning] })
        let overview = await printed("help")
        for row in known {
            #expect(
                overview.contains { line in
                    let words = line.split(separator: " ", maxSplits: 1).map(String.init)
                    return words.first == "\(row.code)" && words.last?.contains(row.text) == true
                }, "\(row.code)")
        }
    }

    /// Programs read listings, so each has `--json`.
    @Test func everyListingCanBePrintedAsJSON() {
        for declaration in CommandTree.carillon.declarations {
            let name = declaration.path.joined(separator: " ")
            let words = ["list", "show", "count", "find", "compare", "print a saved", "validate"]
            let names = ["list", "show", "count", "check", "devices", "stats"]
            let isListing =
                words.contains { declaration.purpose.hasPrefix($0) } || names.contains(declaration.path.last ?? "")
            guard isListing else { continue }
            #expect(declaration.options.contains { $0.name == "--json" }, "\(name)")
        }
    }
}
