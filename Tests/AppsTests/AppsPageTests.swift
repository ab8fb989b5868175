import PushModel
import TestSupport
import Testing

@testable import Apps

/// Compares `docs/apps.md` with the fields that the reader accepts, in both directions.
@Suite struct AppsPageTests {
    private let page: String

    init() throws {
        page = try #require(SourceTree.text("docs/apps.md"))
    }

    private func problems(_ text: String) throws -> [AppProblem] {
        AppReader.read(Array(text.utf8), id: try AppID("news"), folder: "apps").problems
    }

    @Test func itsExamplesAreRight() throws {
        let examples = MarkdownCode.blocks("json", inPage: page)
        #expect(!examples.isEmpty)
        for example in examples { #expect(try problems(example) == []) }
    }

    /// For a name unlike any known one, the reader's error lists all known names.
    @Test func listsEveryField() throws {
        let stranger = #""qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq":1"#
        let objects =
            ["identifiers", "report", "webhook", "quiet_hours", "defaults", "user_tokens"].map { name in
                #""\#(name)":{\#(stranger)}"#
            } + [
                #""limits":{\#(stranger),"pushes_per_device":{\#(stranger)}}"#
            ]
        let others = ["fcm", "huawei", "webpush", "wns", "mpns", "http"].map { #""\#($0)":{\#(stranger)}"# }
            .joined(separator: ",")
        let lists = ["credentials", "allow"].map { #""\#($0)":[{\#(stranger)}]"# }
        let providers = [#""key_file":"x""#, #""certificate_file":"x""#].map { proof in
            #""providers":{\#(stranger),"apns":{\#(proof),\#(stranger)},\#(others)}"#
        }
        // Apart, because the number of problems is bounded.
        let found = try ([(objects + lists + [stranger]).joined(separator: ",")] + providers).flatMap { members in
            try problems("{\(members)}")
        }
        var known: Set<String> = []
        for problem in found where problem.message.hasPrefix("unknown field; there are: ") {
            let path = problem.field.split(separator: ".").dropLast().joined(separator: ".")
            let names = problem.message.dropFirst("unknown field; there are: ".count).split(separator: ", ")
            for name in names { known.insert(path.isEmpty ? "\(name)" : "\(path).\(name)") }
        }
        let documented = Set(
            MarkdownTable.rows(under: "## Fields", inPage: page).compactMap { $0.first.map(MarkdownTable.plain) })
        // The page describes an object by its fields.
        let fields = known.filter { name in !known.contains { $0.hasPrefix("\(name).") || $0.hasPrefix("\(name)[") } }
        let listed = Set(documented.map { $0.split(separator: "[]").joined(separator: "[0]") })
        #expect(fields.subtracting(listed) == [], "only in the code")
        #expect(listed.subtracting(fields) == [], "only in the page")
        #expect(fields.count > 30)
    }

    @Test func listsEveryScope() {
        let rows = MarkdownTable.rows(under: "## Scopes", inPage: page)
        #expect(rows.compactMap { $0.first.map(MarkdownTable.plain) } == Scope.allCases.map(\.rawValue))
    }
}
