import JSONKit
import TaskModel
import Testing

@Suite struct TaskLabelsTests {
    private func read(_ text: String, _ problems: JSONProblems) throws -> TaskLabels {
        TaskLabels(in: JSONFields(try JSON("{\"labels\":\(text)}"), problems: problems))
    }

    @Test func labelsAreReadAndWrittenInTheOrderOfTheirNames() throws {
        let problems = JSONProblems()
        let labels = try read(#"{"wave":"2","campaign":"spring sale","gone":null}"#, problems)
        #expect(problems.all.isEmpty)
        #expect(labels.json.compactText == #"{"campaign":"spring sale","wave":"2"}"#)
        #expect(labels["campaign"] == "spring sale" && labels["gone"] == nil)
        #expect(try read(labels.json.compactText, problems) == labels)
        #expect(try read("null", problems).areEmpty && problems.all.isEmpty)
    }

    /// Two encodings of one accent are two values, as they are two counters.
    @Test func valuesAreComparedAsBytes() {
        var (composed, decomposed) = (TaskLabels(), TaskLabels())
        composed["a"] = "\u{E9}"
        decomposed["a"] = "e\u{301}"
        #expect(composed != decomposed)
    }

    @Test(arguments: [
        (#""x""#, "labels"), (#"{"A":"x"}"#, "labels.A"), (#"{"":"x"}"#, "labels."), (#"{"é":"x"}"#, "labels.é"),
        (#"{"a":""}"#, "labels.a"), (#"{"a":7}"#, "labels.a"), (#"{"a":"x\n"}"#, "labels.a"),
        (#"{"a":"\#(String(repeating: "x", count: 65))"}"#, "labels.a"),
        (#"{"\#(String(repeating: "n", count: 33))":"x"}"#, "labels.\(String(repeating: "n", count: 33))"),
        (#"{\#((1...9).map { "\"n\($0)\":\"x\"" }.joined(separator: ","))}"#, "labels"),
    ])
    func labelsThatCannotBeCountedAreRefused(_ text: String, path: String) throws {
        let problems = JSONProblems()
        _ = try read(text, problems)
        #expect(problems.all.map(\.path) == [path])
    }

    @Test func theLargestLabelsAreAccepted() throws {
        let problems = JSONProblems()
        let value = String(repeating: "x", count: 64)
        let members = (0..<8).map { "\"\(String(repeating: "n", count: 31))\($0)\":\"\(value)\"" }
        #expect(try read("{\(members.joined(separator: ","))}", problems).all.count == 8)
        #expect(problems.all.isEmpty)
    }
}
