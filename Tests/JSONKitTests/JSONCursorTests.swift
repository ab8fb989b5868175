import TestSupport
import Testing

@testable import JSONKit

/// A document is read in its order without being built.
@Suite(.timeLimit(.minutes(5))) struct JSONCursorTests {
    /// The place of the document's value, or the error.
    private func skip(_ text: String) -> Result<Range<Int>, JSONError> {
        var cursor = JSONCursor(Array(text.utf8))
        return Result { () throws(JSONError) in
            let place = try cursor.skip()
            try cursor.end()
            return place
        }
    }

    @Test(arguments: [
        "1", "-0.5e+10", "true", "false", "null", "\"\"", "\"a\\\"b\\\\\"", "[]", "{}", " [ ] ", "[[],{}]",
        "{\"a\":{\"b\":[1,2,{\"c\":null}]},\"d\":\"e\"}", "[1,\"two\",[3]]", "\t{\"a\" : [ 1 , 2 ] }\r\n",
        "[\"]\",\"}\",\"{\"]", "{\"a,b\":\"c:d\"}",
    ])
    func whatTheParserAcceptsIsPassedOver(_ text: String) throws {
        let value = try JSON(text)
        let place = try skip(text).get()
        let cursor = JSONCursor(Array(text.utf8))
        #expect(try cursor.value(at: place) == value)
    }

    @Test(arguments: [
        "", " ", "[", "{", "]", "}", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}",
        "{\"a\":1 \"b\":2}", "{a:1}", "{,}", "tru", "nulls", "01", "1.", "+1", "--1", "1e", "\"", "\"\\\"", "\"a\nb\"",
        "[1}", "{\"a\":1]", "1 2", "[1]]", "{}{}", "'a'", "[\"a\"\"b\"]", "{\"a\":1,\"b\"", "\\", "[1,,2]",
    ])
    func whatTheParserRefusesIsRefused(_ text: String) {
        #expect(throws: JSONError.self) { try JSON(text) }
        #expect(throws: JSONError.self) { try skip(text).get() }
    }

    @Test func membersAndElementsComeInTheirOrder() throws {
        var cursor = JSONCursor(Array(#"{"a":[1,"x",{"y":2}], "b\u0063":"t\u00e9", "d":{}}"#.utf8))
        try cursor.enterObject()
        #expect(try cursor.nextName().map { Array($0) } == Array("a".utf8))
        try cursor.enterArray()
        var kinds: [JSONCursor.Kind] = []
        while try cursor.nextElement() {
            kinds.append(try cursor.kind())
            _ = try cursor.skip()
        }
        #expect(kinds == [.number, .string, .object])
        #expect(try cursor.nextName().map { Array($0) } == Array("bc".utf8))
        let text = try cursor.text()
        #expect(text.hasEscapes)
        #expect(try Array(cursor.unescaped(text)) == Array("té".utf8))
        #expect(try cursor.nextName().map { Array($0) } == Array("d".utf8))
        try cursor.enterObject()
        #expect(try cursor.nextName() == nil)
        #expect(try cursor.nextName() == nil)
        try cursor.end()
    }

    @Test func aListIsReadFromItsPlace() throws {
        let bytes = Array(#"{"ids":["a","b"],"rest":[["#.utf8)
        var cursor = JSONCursor(bytes, at: 7)
        try cursor.enterArray()
        var texts: [String] = []
        while try cursor.nextElement() { texts.append(String(decoding: try cursor.text().bytes, as: UTF8.self)) }
        #expect(texts == ["a", "b"])
    }

    @Test(arguments: [
        ("[1,\n 2,\n x]", "line 3, column 2: unexpected 'x'; expected a value"),
        ("{\"a\" 1}", "line 1, column 6: unexpected '1'; expected a colon"),
        ("[1", "line 1, column 3: unexpected end of the document; expected a comma or ]"),
        ("{\"a\":1", "line 1, column 7: unexpected end of the document; expected a comma or }"),
        ("[\"abc", "line 1, column 2: unterminated string"),
        ("[01]", "line 1, column 2: invalid number"),
        ("[nul]", "line 1, column 2: unexpected word; expected a value"),
        ("1 2", "line 1, column 3: unexpected '2'; expected the end of the document"),
    ])
    func errorsNameTheirPlace(_ text: String, description: String) {
        guard case .failure(let error) = skip(text) else {
            Issue.record("\(text) is passed over")
            return
        }
        #expect(error.description == description)
    }

    @Test func nestingIsBounded() {
        let most = JSONCursor.depthMaximum
        let fits = String(repeating: "[", count: most) + String(repeating: "]", count: most)
        #expect((try? skip(fits).get()) != nil)
        guard case .failure(let error) = skip(String(repeating: "{\"a\":", count: most + 1)) else {
            Issue.record("the depth is not bounded")
            return
        }
        #expect(error.code == .tooDeep)
    }

    /// Every prefix of a document is refused, and none traps.
    @Test func aDocumentThatIsCutOffIsRefused() {
        let text = #"{"a":[1,-2.5e3,"x\"y\u00e9",true,null,{"b":{}}],"c":"d"}"#
        for count in 0..<text.utf8.count {
            #expect(throws: JSONError.self) { try skip(String(decoding: text.utf8.prefix(count), as: UTF8.self)).get() }
        }
    }
}
