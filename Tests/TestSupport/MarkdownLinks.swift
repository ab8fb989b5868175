/// The links and headings of a page of the documentation, as GitHub reads them.
package enum MarkdownLinks {
    /// The targets of links within the repository, as written. Links to other sites and mail addresses are left out.
    package static func targets(inPage page: String) -> [String] {
        lines(ofPage: page).flatMap { line in
            line.matches(of: #/\]\(([^()\s]+)\)/#).map { String($0.output.1) }
        }.filter { !$0.contains("://") && !$0.hasPrefix("mailto:") }
    }

    /// The anchors of all headings; a heading that occurs again gets a number.
    package static func anchors(inPage page: String) -> Set<String> {
        var counts: [String: Int] = [:]
        var anchors: Set<String> = []
        for line in lines(ofPage: page) {
            let rank = line.prefix { $0 == "#" }.count
            guard rank > 0, line.dropFirst(rank).hasPrefix(" ") else { continue }
            let name = anchor(ofHeading: String(line.dropFirst(rank + 1)))
            let count = counts[name, default: 0]
            counts[name] = count + 1
            anchors.insert(count == 0 ? name : "\(name)-\(count)")
        }
        return anchors
    }

    /// Letters, digits, hyphens and underscores of the heading's text, in lower case, with hyphens in place of spaces.
    private static func anchor(ofHeading heading: String) -> String {
        let text = heading.replacing(#/\[([^\]]*)\]\([^)]*\)/#) { $0.output.1 }
        let characters = text.lowercased().compactMap { character -> Character? in
            if character == " " { return "-" }
            let isKept = character.isLetter || character.isNumber || character == "-" || character == "_"
            return isKept ? character : nil
        }
        return String(characters)
    }

    /// Without fenced code, whose comments look like headings.
    private static func lines(ofPage page: String) -> [Substring] {
        var isCode = false
        return page.split(separator: "\n").filter { line in
            let isFence = line.drop { $0 == " " }.hasPrefix("```")
            if isFence { isCode.toggle() }
            return !isFence && !isCode
        }
    }
}
