import TestSupport
import Testing

/// `docs/api/openapi.yaml` keeps to what generators of clients understand. `.ci/check-clients` runs them; these rules say
/// at once which line is at fault.
@Suite struct OpenAPIGeneratorTests {
    private struct Line {
        let indentation: Int
        let text: Substring
    }

    private static let methods: Set<Substring> = ["get:", "post:", "put:", "patch:", "delete:", "options:"]
    private let paths: [Line]
    private let components: [Line]

    init() throws {
        let document = try #require(SourceTree.text("docs/api/openapi.yaml"))
        let lines = document.split(separator: "\n").map { line in
            let text = line.drop { $0 == " " }
            return Line(indentation: line.count - text.count, text: text)
        }
        let end = try #require(lines.firstIndex { $0.indentation == 0 && $0.text == "components:" })
        paths = Array(lines[..<end])
        components = Array(lines[end...])
    }

    @Test func everyOperationHasAnIdOfItsOwn() {
        let operations = paths.filter { $0.indentation == 4 && OpenAPIGeneratorTests.methods.contains($0.text) }
        let ids = paths.filter { $0.indentation == 6 && $0.text.hasPrefix("operationId: ") }.map(\.text)
        #expect(operations.count > 80)
        #expect(ids.count == operations.count)
        #expect(Set(ids).count == ids.count)
        #expect(ids.filter { $0.dropFirst(13).wholeMatch(of: /[a-z][A-Za-z0-9]*/) == nil } == [])
    }

    /// A generated client sends every default of a body, in place of the service's own.
    @Test func nothingInTheSchemasStopsGenerators() {
        let all = paths + components
        #expect(all.filter { $0.text.contains("const:") }.map(\.text) == [])
        #expect(all.filter { $0.text.hasPrefix("- required:") || $0.text.hasPrefix("- {required:") }.map(\.text) == [])
        #expect(all.filter { $0.text.contains("/properties/") }.map(\.text) == [])
        let defaults = components.filter { $0.text.hasPrefix("default:") || $0.text.contains(", default:") }
        // The texts of a message have a member of this name.
        #expect(defaults.map(\.text) == ["default: {type: string}"])
    }

    @Test func everyJSONBodyHasAnExample() {
        let bodies = paths.indices.filter { paths[$0].text == "application/json:" }
        #expect(bodies.count > 80)
        for body in bodies {
            let members = paths[(body + 1)...].prefix { $0.indentation > paths[body].indentation }
            let names = members.filter { $0.indentation == paths[body].indentation + 2 }.map(\.text)
            #expect(names.contains { $0.hasPrefix("example") }, "\(members.first?.text ?? "")")
        }
    }

    @Test func formsHaveSchemasOfTheirOwn() {
        var schemas: [Substring: Set<Substring>] = [:]
        for index in paths.indices where paths[index].text.hasPrefix("application/") {
            guard index + 1 < paths.count, paths[index + 1].text.hasPrefix("schema: {$ref") else { continue }
            schemas[paths[index].text, default: []].insert(paths[index + 1].text)
        }
        let forms = schemas["application/x-www-form-urlencoded:"] ?? []
        #expect(forms.count == 5)
        #expect(forms.filter { !$0.hasSuffix("Form\"}") } == [])
        #expect(forms.isDisjoint(with: schemas["application/json:"] ?? []))
    }
}
