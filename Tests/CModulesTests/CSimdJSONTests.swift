import CSimdJSON
import Testing

@Suite struct CSimdJSONTests {
    /// A request for 250,000 devices, the maximum: every id must be read, in order, whether the document is parsed in
    /// place or copied.
    @Test(arguments: [true, false])
    func yieldsEveryIdentifierOfALargeDocument(isPadded: Bool) throws {
        let identifiers = (0..<250_000).map { "device-\($0)" }
        var bytes = Array("{\"ids\":[\"\(identifiers.joined(separator: "\",\""))\"]}".utf8)
        let length = bytes.count
        if isPadded { bytes += [UInt8](repeating: 0, count: csimdjson_padding) }
        let parser = try #require(Parser(bytesMaximum: 16 << 20))
        let root = try #require(parser.parse(bytes, length: length).root)
        let members = try #require(parser.members(of: root))
        #expect(members.map(\.name) == ["ids"])
        let elements = try #require(members.first.flatMap { parser.elements(of: $0.value) })
        #expect(elements.compactMap { parser.text($0) } == identifiers)
    }

    @Test func readsEveryTypeOfValue() throws {
        let parser = try #require(Parser())
        let root = try #require(
            parser.parse("[null,true,-9223372036854775808,18446744073709551615,0.5,\"a\\u0000\\ud83d\\udd14\",[],{}]")
                .root)
        let elements = try #require(parser.elements(of: root))
        #expect(
            elements.map { csimdjson_element_type($0) } == [
                CSIMDJSON_NULL, CSIMDJSON_BOOL, CSIMDJSON_INT64, CSIMDJSON_UINT64, CSIMDJSON_DOUBLE, CSIMDJSON_STRING,
                CSIMDJSON_ARRAY, CSIMDJSON_OBJECT,
            ])
        var bool = false
        var int64: Int64 = 0
        var uint64: UInt64 = 0
        var double = 0.0
        #expect(csimdjson_get_bool(elements[1], &bool) && bool)
        #expect(csimdjson_get_int64(elements[2], &int64) && int64 == .min)
        #expect(csimdjson_get_uint64(elements[3], &uint64) && uint64 == .max)
        #expect(csimdjson_get_double(elements[4], &double) && double == 0.5)
        #expect(parser.text(elements[5]) == "a\0🔔")
        #expect(parser.elements(of: elements[6])?.count == 0)
        #expect(parser.members(of: elements[7])?.count == 0)
        #expect(!csimdjson_get_int64(elements[3], &int64), "a value that does not fit is refused, not cut")
        #expect(!csimdjson_get_bool(elements[0], &bool))
        #expect(parser.elements(of: elements[7]) == nil)
    }

    @Test func keepsMembersInTheirOrderAndRepeatedOnes() throws {
        let parser = try #require(Parser())
        let root = try #require(parser.parse(#"{"b":1,"a":2,"b":3}"#).root)
        #expect(parser.members(of: root)?.map(\.name) == ["b", "a", "b"])
    }

    @Test func tellsHowMuchIsInAContainer() throws {
        let parser = try #require(Parser())
        let root = try #require(parser.parse(#"[[],[1,[2,3]],{},{"a":1,"a":[2]},"text"]"#).root)
        #expect(csimdjson_container_count(root) == 5)
        let elements = try #require(parser.elements(of: root))
        #expect(elements.map { csimdjson_container_count($0) } == [0, 2, 0, 2, 0])
    }

    private static let wrongDocuments: [(document: String, reason: String)] = [
        (#""\udc00""#, "string"),
        ("[1,2", "structure"),
        ("\"open", "never closed"),
        ("[1] 2", "structure"),
        ("01", "number"),
        ("18446744073709551616", "number"),
        (" ", "no JSON"),
        ("", "no JSON"),
    ]

    @Test(arguments: wrongDocuments)
    func refusesWhatIsNotJSON(document: String, reason: String) throws {
        let parser = try #require(Parser())
        let (root, message) = parser.parse(document)
        #expect(root == nil)
        #expect(message.contains(reason), "the reason was: \(message)")
    }

    @Test(arguments: [[0xFF], [0xED, 0xA0, 0x80], [0xC0, 0xAF], [0xF4, 0x90, 0x80, 0x80]] as [[UInt8]])
    func refusesWhatIsNotUTF8(bytes: [UInt8]) throws {
        let parser = try #require(Parser())
        let quote = UInt8(ascii: "\"")
        #expect(parser.parse([quote] + bytes + [quote]).message.contains("UTF-8"))
    }

    @Test func refusesWhatIsTooDeepAndStaysUsable() throws {
        let parser = try #require(Parser(depthMaximum: 3))
        #expect(parser.parse("[[[1]]]").root != nil)
        #expect(parser.parse("[[[[1]]]]").message.contains("too deep"))
        #expect(parser.parse(String(repeating: "[", count: 100_000)).root == nil)
        #expect(parser.parse("[[[1]]]").root != nil)
    }

    @Test func refusesWhatIsTooLong() throws {
        let parser = try #require(Parser(bytesMaximum: 1_000))
        #expect(parser.parse("\"\(String(repeating: "a", count: 998))\"").root != nil)
        #expect(parser.parse("\"\(String(repeating: "a", count: 999))\"").root == nil)
    }
}

/// Owns one parser of the C module.
private final class Parser {
    private let parser: OpaquePointer

    init?(bytesMaximum: Int = 1 << 20, depthMaximum: Int = 32) {
        guard let parser = csimdjson_parser_create(bytesMaximum, depthMaximum) else { return nil }
        self.parser = parser
    }

    deinit {
        csimdjson_parser_destroy(parser)
    }

    func parse(_ text: String) -> (root: csimdjson_element?, message: String) {
        parse(Array(text.utf8))
    }

    func parse(_ bytes: [UInt8], length: Int? = nil) -> (root: csimdjson_element?, message: String) {
        var root = csimdjson_element()
        let error = csimdjson_parse(parser, bytes, length ?? bytes.count, bytes.count, &root)
        return (error == 0 ? root : nil, String(cString: csimdjson_error_message(error)))
    }

    func text(_ element: csimdjson_element) -> String? {
        var text: UnsafePointer<CChar>?
        var length = 0
        guard csimdjson_get_string(element, &text, &length) else { return nil }
        return string(text, length: length)
    }

    func elements(of array: csimdjson_element) -> [csimdjson_element]? {
        var iterator = csimdjson_iterator()
        guard csimdjson_array_begin(array, &iterator) else { return nil }
        var elements: [csimdjson_element] = []
        var element = csimdjson_element()
        while csimdjson_array_next(&iterator, &element) { elements.append(element) }
        return elements
    }

    func members(of object: csimdjson_element) -> [(name: String, value: csimdjson_element)]? {
        var iterator = csimdjson_iterator()
        guard csimdjson_object_begin(object, &iterator) else { return nil }
        var members: [(name: String, value: csimdjson_element)] = []
        var name: UnsafePointer<CChar>?
        var length = 0
        var value = csimdjson_element()
        while csimdjson_object_next(&iterator, &name, &length, &value) {
            members.append((string(name, length: length), value))
        }
        return members
    }

    private func string(_ text: UnsafePointer<CChar>?, length: Int) -> String {
        String(decoding: UnsafeRawBufferPointer(start: text, count: length), as: UTF8.self)
    }
}
