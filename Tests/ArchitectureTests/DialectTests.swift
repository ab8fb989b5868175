import PushModel
import TestSupport
import Testing

/// A dialect is a front end: the pipeline behind it does not know which dialects there are.
@Suite struct DialectTests {
    private static let folders = SourceTree.entries(of: "Services/IngestAPI").filter { $0.hasSuffix("Dialect") }
        .map { "Services/IngestAPI/\($0)/" }
    /// The list of all dialects of the API.
    private static let list = "Services/IngestAPI/IngestParts.swift"
    private static let enumeration = "Shared/PushModel/TaskDialect.swift"
    /// Switches over all dialects.
    private static let reportBody = "Services/Reporter/Webhook/ReportBody.swift"

    private static let sources = ["Shared", "Services"].flatMap { SourceTree.swiftSources(under: $0) }

    @Test func typesOfADialectAreUsedInItsFolderOnly() {
        #expect(DialectTests.folders.count >= 3)
        let types = DialectTests.folders.map { folder in
            (folder: folder, names: SourceTree.swiftSources(under: folder).map(DialectTests.typeName))
        }
        for path in DialectTests.sources where path != DialectTests.list {
            let words = DialectTests.words(of: path, with: "0123456789")
            for (folder, names) in types where !path.hasPrefix(folder) {
                #expect(words.isDisjoint(with: names), "\(path) names a type of \(folder)")
            }
        }
    }

    @Test func everyDialectHasAFolder() {
        let names = DialectTests.folders.map { $0.dropLast("Dialect/".count).split(separator: "/").last ?? "" }
        #expect(Set(names.map { $0.lowercased() }) == Set(TaskDialect.allCases.map(\.rawValue)))
    }

    /// Without `native`, the dialect of a task whose own is unknown.
    @Test func aDialectIsChosenInItsFolderOnly() throws {
        let cases = try #require(SourceTree.text(DialectTests.enumeration)).split(separator: "\n")
            .filter { $0.hasPrefix("    case ") }.map { ".\($0.dropFirst("    case ".count))" }
            .filter { $0 != ".native" }
        #expect(cases.count >= 5)
        let allowed = DialectTests.folders + [DialectTests.enumeration, DialectTests.reportBody]
        for path in DialectTests.sources where !allowed.contains(where: { path.hasPrefix($0) }) {
            let words = DialectTests.words(of: path, with: ".")
            // `TaskDialect.richie.rawValue` is one word.
            let members = words.flatMap {
                $0.split(separator: ".", omittingEmptySubsequences: false).dropFirst().map { ".\($0)" }
            }.filter(cases.contains)
            #expect(members.isEmpty, "\(path) names a dialect")
        }
    }

    /// A file is named like its type.
    private static func typeName(_ path: String) -> String {
        String((path.split(separator: "/").last ?? "").prefix { $0 != "." && $0 != "+" })
    }

    /// The sequences of letters and of the other bytes that are given.
    private static func words(of path: String, with others: String) -> Set<String> {
        let text = SourceTree.text(path) ?? ""
        let others = Array(others.utf8)
        return Set(text.utf8.split { !isLetter($0) && !others.contains($0) }.map { String(Substring($0)) })
    }

    private static func isLetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 }
}
