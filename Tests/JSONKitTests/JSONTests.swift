import JSONKit
import Testing

@Suite struct JSONTests {
    @Test func readsEveryKindOfValue() throws {
        let value = try JSON(
            #"""
            {"a":null,"b":true,"c":-9223372036854775808,"d":18446744073709551615,"e":0.5,"f":"\u0000\ud83d\udd14","g":[1,-0.0],
            "h":{}}
            """#)
        #expect(value["a"] == .null)
        #expect(value["b"] == .bool(true))
        #expect(value["c"] == .integer(.min))
        #expect(value["d"] == .unsigned(.max))
        #expect(value["e"] == .number(0.5))
        #expect(value["f"] == .string("\0🔔"))
        #expect(value["g"] == .array([.integer(1), .number(0)]))
        #expect(value["h"] == .object(JSONObject()))
        #expect(value["i"] == nil)
        #expect(value.object?.names == ["a", "b", "c", "d", "e", "f", "g", "h"])
    }

    @Test func ofARepeatedNameTheLastCounts() throws {
        let value = try JSON(#"{"a":1,"b":2,"a":{"c":3,"c":4}}"#)
        #expect(value.object?.names == ["a", "b"])
        #expect(value["a"]?["c"] == .integer(4))
    }

    /// Many members are found with a table, few without: both must give the same results, also after changes.
    @Test(arguments: [2, 16, 17, 3_000]) func findsMembersHoweverManyThereAre(_ count: Int) throws {
        let members = (0..<count).map { #""n\#($0)":\#($0)"# }
        let value = try JSON("{\(members.joined(separator: ",")),\"n1\":-1}")
        var object = try #require(value.object)
        #expect(object.members.count == count)
        #expect(object["n0"] == .integer(0))
        #expect(object["n1"] == .integer(-1))
        #expect(object["n\(count)"] == nil)
        object["n0"] = nil
        #expect(object["n0"] == nil)
        #expect(object["n1"] == .integer(-1))
        object["new"] = .null
        #expect(object.names.last == "new")
        #expect(object["new"] == .null)
    }

    /// For Swift, two spellings of one letter are the same text; for JSON they are not.
    @Test func namesAreComparedByteByByte() throws {
        let value = try JSON("{\"\u{E9}\":1,\"e\u{301}\":2}")
        #expect(value.object?.members.count == 2)
        #expect(value["\u{E9}"] == .integer(1))
        #expect(value["e\u{301}"] == .integer(2))
    }

    @Test func theOrderOfMembersMakesNoDifference() throws {
        #expect(try JSON(#"{"a":1,"b":[2]}"#) == JSON(#"{"b":[2],"a":1}"#))
        #expect(try JSON(#"{"a":1}"#) != JSON(#"{"a":1,"b":2}"#))
        #expect(try JSON(#"{"a":1}"#) != JSON(#"{"b":1}"#))
    }

    @Test func indentedTextIsTheSameDocument() throws {
        let value = try JSON(
            #"{"a":[1,2],"b":[{"c":"\"\u0007é"}],"d":{},"e":[],"f":[true,null,0.1,18446744073709551615]}"#)
        #expect(try JSON(value.indentedText) == value)
        #expect(
            value.indentedText == """
                {
                  "a": [1, 2],
                  "b": [
                    {
                      "c": "\\"\\u0007é"
                    }
                  ],
                  "d": {},
                  "e": [],
                  "f": [true, null, 0.1, 18446744073709551615]
                }

                """)
    }
}
