import CSimdJSON

/// Owns the parser of the C module and the document it read last.
struct SimdJSONParser: ~Copyable {
    private let parser: OpaquePointer

    /// Nil when out of memory.
    init?(_ limits: JSONLimits) {
        guard let parser = csimdjson_parser_create(limits.bytesMaximum, limits.depthMaximum) else { return nil }
        self.parser = parser
    }

    deinit {
        csimdjson_parser_destroy(parser)
    }

    /// Nil when out of memory.
    func value(of bytes: [UInt8], _ limits: JSONLimits) throws(JSONError) -> JSON? {
        var root = csimdjson_element()
        let status = csimdjson_parse(parser, bytes, bytes.count, bytes.count, &root)
        guard status == 0 else {
            let reason = String(cString: csimdjson_error_message(status))
            guard let error = JSONSyntax.error(in: bytes, limits) else {
                // The two never differ about a document that was tried; should they, the library's word counts.
                throw JSONError(code: .syntax, message: reason, position: nil)
            }
            throw error
        }
        return SimdJSONParser.value(root)
    }

    /// Recursion ends where `depthMaximum` made the parser refuse the document.
    private static func value(_ element: csimdjson_element) -> JSON {
        switch csimdjson_element_type(element) {
        case CSIMDJSON_BOOL: scalar(element, false, csimdjson_get_bool).map(JSON.bool) ?? .null
        case CSIMDJSON_INT64: scalar(element, 0, csimdjson_get_int64).map(JSON.integer) ?? .null
        case CSIMDJSON_UINT64: scalar(element, 0, csimdjson_get_uint64).map(JSON.unsigned) ?? .null
        case CSIMDJSON_DOUBLE: scalar(element, 0, csimdjson_get_double).map(JSON.number) ?? .null
        case CSIMDJSON_STRING: .string(text(element))
        case CSIMDJSON_ARRAY: .array(elements(element))
        case CSIMDJSON_OBJECT: .object(JSONObject(members(element)))
        default: .null
        }
    }

    private static func scalar<Value>(
        _ element: csimdjson_element, _ initial: Value, _ get: (csimdjson_element, UnsafeMutablePointer<Value>) -> Bool
    ) -> Value? {
        var value = initial
        return get(element, &value) ? value : nil
    }

    private static func text(_ element: csimdjson_element) -> String {
        var text: UnsafePointer<CChar>?
        var length = 0
        return csimdjson_get_string(element, &text, &length) ? string(text, length) : ""
    }

    private static func elements(_ array: csimdjson_element) -> [JSON] {
        var iterator = csimdjson_iterator()
        guard csimdjson_array_begin(array, &iterator) else { return [] }
        var elements: [JSON] = []
        var element = csimdjson_element()
        while csimdjson_array_next(&iterator, &element) { elements.append(value(element)) }
        return elements
    }

    private static func members(_ object: csimdjson_element) -> [JSONObject.Member] {
        var iterator = csimdjson_iterator()
        guard csimdjson_object_begin(object, &iterator) else { return [] }
        var members: [JSONObject.Member] = []
        var name: UnsafePointer<CChar>?
        var length = 0
        var element = csimdjson_element()
        while csimdjson_object_next(&iterator, &name, &length, &element) {
            members.append((string(name, length), value(element)))
        }
        return members
    }

    /// The parser has checked that it is UTF-8.
    private static func string(_ text: UnsafePointer<CChar>?, _ length: Int) -> String {
        String(decoding: UnsafeRawBufferPointer(start: text, count: length), as: UTF8.self)
    }
}
