import JSONKit
import Testing

@Suite struct JSONTests {
    @Test func readsEveryKindOfValue() throws {
        let text = #"{"a":null,"b":true,"c":-9223372036854775808,"d":18446744073709551615,"e":0.5,"f":"x","g":[1],"h":{}}"#
        let value = try JSON(text)
        #expect(value["a"] == .null)
        #expect(value["b"] == .bool(true))
        #expect(value["c"] == .integer(.min))
        #expect(value["d"] == .unsigned(.max))
        #expect(value["e"] == .number(0.5))
        #expect(value["f"] == .string("x"))
        #expect(value["g"] == .array([.integer(1)]))
        #expect(value["h"] == .object(JSONObject()))
        #expect(value["i"] == nil)
        #expect(value.object?.names == ["a", "b", "c", "d", "e", "f", "g", "h"])
    }
}
