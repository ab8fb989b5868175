/// A text table whose columns are as wide as their widest cell. A cell may have several lines, and styled text.
package struct Table: Sendable {
    private let header: [[String]]?
    private let rows: [[[String]]]

    package init(header: [String] = [], rows: [[String]]) {
        self.header = header.isEmpty ? nil : Table.cells(header)
        self.rows = rows.map(Table.cells)
    }

    private static func cells(_ row: [String]) -> [[String]] {
        row.map { $0.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
    }

    /// The lines without styles of the table's own, each ending in a line break.
    package var text: String { text(.off) }

    /// The lines, each ending in a line break.
    package func text(_ styling: Styling) -> String {
        let all = (header.map { [$0] } ?? []) + rows
        let columns = all.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            all.flatMap { column < $0.count ? $0[column].map(DisplayWidth.of) : [] }.max() ?? 0
        }
        let head = header.map { text(of: $0, widths) { styling.apply(.bold, to: $0) } } ?? ""
        return head + rows.map { text(of: $0, widths) { $0 } }.joined()
    }

    private func text(of row: [[String]], _ widths: [Int], style: (String) -> String) -> String {
        let height = row.map(\.count).max() ?? 0
        return (0..<height).map { line in
            var text = ""
            for (cell, width) in zip(row, widths) {
                let content = line < cell.count ? cell[line] : ""
                text += style(content) + String(repeating: " ", count: width - DisplayWidth.of(content) + 2)
            }
            while text.last == " " { text.removeLast() }
            return text + "\n"
        }.joined()
    }
}
