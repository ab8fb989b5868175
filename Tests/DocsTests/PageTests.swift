import TestSupport
import Testing

/// Pages are short enough to be read, and their links lead somewhere.
@Suite struct PageTests {
    private static let bytesMaximum = 20_000

    @Test(arguments: ["CHANGELOG.md", "README.md"] + SourceTree.pages(under: "docs"))
    func isShortEnough(page: String) throws {
        let text = try #require(SourceTree.text(page))
        #expect(text.utf8.count <= PageTests.bytesMaximum, "split \(page) by subject")
    }

    /// Goal: each link within the repository leads to a file, and its fragment to a heading of that page.
    @Test(arguments: ["README.md", "charts/carillon/README.md", "compose/README.md"] + SourceTree.pages(under: "docs"))
    func linksLeadSomewhere(page: String) throws {
        for link in MarkdownLinks.targets(inPage: try #require(SourceTree.text(page))) {
            let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let path = parts[0].isEmpty ? page : resolved(parts[0], from: page)
            let target = SourceTree.text(path)
            #expect(target != nil || !SourceTree.entries(of: path).isEmpty, "\(page): no file for the link \(link)")
            if let target, parts.count > 1, path.hasSuffix(".md") {
                #expect(MarkdownLinks.anchors(inPage: target).contains(parts[1]), "\(page): no heading for \(link)")
            }
        }
    }

    private func resolved(_ path: String, from page: String) -> String {
        var folders = page.split(separator: "/").dropLast()
        for part in path.split(separator: "/") {
            if part == ".." {
                folders = folders.dropLast()
            } else if part != "." {
                folders.append(part)
            }
        }
        return folders.joined(separator: "/")
    }
}
