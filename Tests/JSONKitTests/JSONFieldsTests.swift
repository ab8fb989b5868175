import JSONKit
import Testing

@Suite struct JSONFieldsTests {
    private let problems = JSONProblems()

    private func fields(_ text: String) throws -> JSONFields {
        JSONFields(try JSON(text), problems: problems)
    }

    private var descriptions: [String] { problems.all.map(\.description) }

    @Test func readsWhatIsThere() throws {
        let fields = try fields(
            #"{"name":"x","count":3,"on":false,"time":"12:00","inner":{"deep":1},"list":["a","b"],"gone":null}"#)
        #expect(fields.text("name") == "x")
        #expect(fields.integer("count", in: 1...3) == 3)
        #expect(fields.bool("on") == false)
        #expect(fields.text("time", expected: "a time") { $0.count == 5 ? $0 : nil } == "12:00")
        #expect(fields.object("inner")?.integer("deep", in: 0...1) == 1)
        #expect(fields.elements("list", countMaximum: 2).map { $0.text(expected: "a text") { $0 } } == ["a", "b"])
        #expect(fields.text("gone") == nil)
        #expect(!fields.has("gone"))
        fields.rejectUnknown()
        #expect(descriptions == [])
    }

    @Test func namesEveryMistakeWithItsPath() throws {
        let fields = try fields(
            #"{"name":7,"count":4,"big":9223372036854775808,"on":1,"inner":[],"list":[1,{"x":true}],"long":[1,2,3]}"#)
        #expect(fields.text("name") == nil)
        #expect(fields.integer("count", in: 1...3) == nil)
        #expect(fields.integer("big", in: 1...3) == nil)
        #expect(fields.bool("on") == nil)
        #expect(fields.object("inner")?.text("name") == nil)
        let list = Array(fields.elements("list", countMaximum: 2))
        #expect(list.first?.text(expected: "a text") { $0 } == nil)
        #expect(list.last?.fields?.text("x") == nil)
        #expect(fields.elements("long", countMaximum: 2).isEmpty)
        #expect(fields.text("needed", bytesMaximum: 8, isRequired: true) == nil)
        #expect(fields.object("wanted", isRequired: true) == nil)
        #expect(
            descriptions == [
                "name: expected a string of 1 to 1024 bytes",
                "count: expected an integer from 1 to 3",
                "big: expected an integer from 1 to 3",
                "on: expected true or false",
                "inner: expected an object, got an array",
                "list[0]: expected a text",
                "list[1].x: expected a string of 1 to 1024 bytes",
                "long: expected an array of at most 2 elements",
                "needed: missing; expected a string of 1 to 8 bytes",
                "wanted: missing; expected an object",
            ])
    }

    @Test func unknownNamesGetAdvice() throws {
        let fields = try fields(#"{"inner":{"subscribtions":1,"other":2}}"#)
        let inner = try #require(fields.object("inner"))
        inner.allow(["subscriptions"])
        inner.rejectUnknown()
        fields.rejectUnknown()
        #expect(
            descriptions == [
                "inner.subscribtions: unknown field; did you mean subscriptions?",
                "inner.other: unknown field; there are: subscriptions",
            ])
        #expect(inner.unknownNames == ["subscribtions", "other"])
    }

    /// Each suggestion compares a name with every known one, character by character.
    @Test func adviceIsGivenSixteenTimesAndForShortNames() throws {
        let names = [String(repeating: "n", count: 64)] + (0..<40).map { "subscription\($0)" }
        let fields = try fields("{\(names.map { "\"\($0)\":1" }.joined(separator: ","))}")
        fields.allow(["subscriptions"])
        fields.rejectUnknown()
        #expect(descriptions.count == 41)
        #expect(descriptions[0].hasSuffix("unknown field"))
        #expect(descriptions[1...16].allSatisfy { $0.hasSuffix("; did you mean subscriptions?") })
        #expect(descriptions[17...].allSatisfy { $0.hasSuffix("unknown field") })
    }

    /// Problems beyond the limit are not searched for. Counts the conversions of values.
    @Test func aListIsReadUntilThereAreTooManyProblems() throws {
        let fields = try fields("{\"list\":[\(Array(repeating: "0", count: 5_000).joined(separator: ","))]}")
        var looked = 0
        for element in fields.elements("list", countMaximum: 10_000) {
            looked += 1
            #expect(element.text(expected: "a text") { $0 } == nil)
        }
        #expect(looked == 101)
        #expect(descriptions.prefix(100).last == "list[99]: expected a text")
        #expect(descriptions.last == "more errors omitted")
    }

    @Test func theDocumentItselfMayBeNoObject() throws {
        #expect(try fields("[1]").text("name") == nil)
        #expect(descriptions == ["expected an object, got an array"])
    }

    /// A response must not be much larger than the request, nor cost much more.
    @Test func mistakesAreBounded() throws {
        let name = String(repeating: "n", count: JSONLimits().nameBytesMaximum)
        let members = (0..<5_000).map { "\"\(name.prefix(40))\($0)\":1" } + ["\"\(name)\":1"]
        let fields = try fields("{\(members.joined(separator: ","))}")
        fields.allow(["name"])
        fields.rejectUnknown()
        #expect(problems.all.count == 101)
        #expect(descriptions.last == "more errors omitted")
        #expect(descriptions.allSatisfy { $0.utf8.count < 200 })
    }
}
