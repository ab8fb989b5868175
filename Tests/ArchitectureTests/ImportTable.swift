/// The table as `docs/architecture.md` shows it.
enum ImportTable {
    static let heading = "## Who may import whom"

    static func libraries(inPage page: String) -> [ImportRules.Library] {
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.drop { $0 != heading }.dropFirst().prefix { !$0.hasPrefix("## ") }.compactMap {
            library(inRow: $0)
        }
    }

    private static func library(inRow row: Substring) -> ImportRules.Library? {
        let cells = row.split(separator: "|").map { $0.split(separator: " ").joined(separator: " ") }
        guard row.hasPrefix("| `"), cells.count == 3 else { return nil }
        return ImportRules.Library(plain(cells[0]), owns: cells[1], mayImport: names(cells[2]))
    }

    private static func names(_ cell: String) -> [String] {
        cell == "–" ? [] : cell.split(separator: ",").map { plain(String($0)) }
    }

    private static func plain(_ text: String) -> String {
        text.filter { $0 != "`" && $0 != " " }
    }
}
