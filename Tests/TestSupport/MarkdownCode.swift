/// Extracts code blocks from a documentation page, for tests that run them.
package enum MarkdownCode {
    /// Returns the content of every fenced block of one language.
    package static func blocks(_ language: String, inPage page: String) -> [String] {
        var blocks: [String] = []
        var open: [Substring]?
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if let lines = open, line == "```" {
                blocks.append(lines.joined(separator: "\n"))
                open = nil
            } else if open != nil {
                open?.append(line)
            } else if line == "```\(language)" {
                open = []
            }
        }
        return blocks
    }
}
