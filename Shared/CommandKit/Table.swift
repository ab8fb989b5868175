/// A text table whose columns are as wide as their widest cell. A cell may have several lines.
package struct Table: Sendable {
    private let rows: [[[String]]]

    package init(header: [String] = [], rows: [[String]]) {
        self.rows = ((header.isEmpty ? [] : [header]) + rows).map { row in
            row.map { $0.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
        }
    }

    /// The lines, each ending in a line break.
    package var text: String {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.flatMap { column < $0.count ? $0[column].map(\.count) : [] }.max() ?? 0
        }
        return rows.map { text(of: $0, widths) }.joined()
    }

    private func text(of row: [[String]], _ widths: [Int]) -> String {
        let height = row.map(\.count).max() ?? 0
        return (0..<height).map { line in
            var text = ""
            for (cell, width) in zip(row, widths) {
                let content = line < cell.count ? cell[line] : ""
                text += content + String(repeating: " ", count: width - content.count + 2)
            }
            while text.last == " " { text.removeLast() }
            return text + "\n"
        }.joined()
    }
}
