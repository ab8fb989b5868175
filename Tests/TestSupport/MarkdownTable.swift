/// Extracts tables from a documentation page, for tests that compare them with the code.
package enum MarkdownTable {
    /// Returns the rows of every table under a heading, up to the next heading of the same or a higher level, as
    /// trimmed cells. Header rows and separator lines are omitted.
    package static func rows(under heading: String, inPage page: String) -> [[String]] {
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let start = lines.firstIndex(of: heading) else { return [] }
        let section = lines[(start + 1)...].prefix { !ends(sectionOf: heading, $0) }
        return section.indices.compactMap { index in
            let isHead = section.indices.contains(index + 1) && isRule(section[index + 1])
            guard section[index].hasPrefix("|"), !isRule(section[index]), !isHead else { return nil }
            return cells(ofRow: section[index])
        }
    }

    /// Returns a cell without code marks and surrounding spaces.
    package static func plain(_ cell: String) -> String {
        cell.filter { $0 != "`" && $0 != " " }
    }

    private static func ends(sectionOf heading: String, _ line: String) -> Bool {
        let rank = line.prefix { $0 == "#" }.count
        return rank > 0 && line.dropFirst(rank).hasPrefix(" ") && rank <= heading.prefix { $0 == "#" }.count
    }

    private static func isRule(_ line: String) -> Bool {
        line.hasPrefix("|-")
    }

    private static func cells(ofRow row: String) -> [String] {
        row.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map {
            $0.split(separator: " ").joined(separator: " ")
        }
    }
}
