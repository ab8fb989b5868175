import TestSupport

/// Reads the table of `docs/architecture.md`.
enum ImportTable {
    static let heading = "## Who may import whom"

    static func libraries(inPage page: String) -> [ImportRules.Library] {
        MarkdownTable.rows(under: heading, inPage: page).filter { $0.count == 3 }.map {
            ImportRules.Library(MarkdownTable.plain($0[0]), owns: $0[1], mayImport: names($0[2]))
        }
    }

    private static func names(_ cell: String) -> [String] {
        cell == "–" ? [] : cell.split(separator: ",").map { MarkdownTable.plain(String($0)) }
    }
}
